// Which part of a data set a chosen file holds is offered from its name, as the import reads it.

const fileNames = JSON.parse(document.getElementById("files-of-parts").textContent);
const part = document.querySelector("select[name=part]");

document.querySelector("input[name=file]").addEventListener("change", (event) => {
  const name = (event.target.files[0]?.name ?? "").toLowerCase();
  const fitting = fileNames.filter(([, fileName]) => name.includes(fileName));
  part.value = fitting.length === 1 ? fitting[0][0] : "";
});
