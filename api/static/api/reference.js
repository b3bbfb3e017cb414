// Swagger UI on the document of this very server.
const place = document.getElementById("reference");
// Its links and copy buttons stand inside of buttons, where no keyboard and no screen reader finds them; the page has a
// heading of its own.
const nothing = () => null;
const plain = () => ({
  components: { CopyToClipboardBtn: nothing, InfoContainer: nothing, DeepLink: ({ text }) => text },
});
SwaggerUIBundle({
  url: place.dataset.schema, domNode: place, deepLinking: true, defaultModelsExpandDepth: 0, plugins: [plain],
});
