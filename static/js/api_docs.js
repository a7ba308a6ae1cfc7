// API description in Swagger UI, from local files only. A key that is entered is not stored, as it
// would remain in the browser after signing out.
window.localStorage.removeItem("authorized"); // keys stored by earlier releases
window.SwaggerUIBundle({
  url: "/v1/openapi.json",
  dom_id: "#description",
  deepLinking: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
});
