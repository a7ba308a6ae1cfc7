// Drag and drop of files into a file field.

/** Accept files dropped on `box` into the file field `field`, then call `onChosen`. */
export function acceptDrops(box, field, onChosen) {
    for (const name of ["dragenter", "dragover"]) {
        box.addEventListener(name, (event) => {
            event.preventDefault();
            box.classList.add("is-over");
        });
    }
    box.addEventListener("dragleave", () => box.classList.remove("is-over"));
    box.addEventListener("drop", (event) => {
        event.preventDefault();
        box.classList.remove("is-over");
        field.files = event.dataTransfer.files;
        onChosen();
    });
}
