// A copy button beside every command. Without this script the command can be selected with one click.
for (const command of document.querySelectorAll("pre.command")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "second";
  button.textContent = command.dataset.copy;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(command.textContent.trim());
    button.textContent = command.dataset.copied;
  });
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  status.append(button);
  command.after(status);
}
