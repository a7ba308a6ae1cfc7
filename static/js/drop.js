// Where a file is dropped into its field.

/** Let a box take files into a file field; `onChosen` is called then. */
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
