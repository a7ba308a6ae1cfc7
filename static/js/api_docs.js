// Shows the API's own description with Swagger UI, from local files only.
window.SwaggerUIBundle({
  url: "/v1/openapi.json",
  dom_id: "#description",
  deepLinking: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
});
