// Chart held in view above a list whose rows it shows, on screens where the list is below it.

/** Hold the chart in view for as long as the list is visible. */
export function holdChartInView(list) {
    const work = list.closest(".work");
    if (work.classList.contains("is-reviewing")) return;
    work.classList.add("is-reviewing");
    const watch = new IntersectionObserver(([entry]) => {
        if (entry.isIntersecting) return;
        work.classList.remove("is-reviewing");
        watch.disconnect();
    });
    watch.observe(list);
}
