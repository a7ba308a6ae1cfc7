// Shows the API's own description with Swagger UI, from local files only. A key that is entered
// lives as long as the page: stored in the browser it would outlast signing out.
window.localStorage.removeItem("authorized"); // where Swagger UI stored keys before
window.SwaggerUIBundle({
  url: "/v1/openapi.json",
  dom_id: "#description",
  deepLinking: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
});
