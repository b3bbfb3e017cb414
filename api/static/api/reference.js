// Swagger UI on the document of this very server.
const place = document.getElementById("reference");
SwaggerUIBundle({ url: place.dataset.schema, domNode: place, deepLinking: true, defaultModelsExpandDepth: 0 });
