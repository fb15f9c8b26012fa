// Shows the numbers at the pointer, or with the arrow keys, above a chart of the context.
"use strict";
for (const chart of document.querySelectorAll("svg[data-points]")) {
  const readings = chart.dataset.points.split(";").filter(Boolean).map((one) => {
    const cut = one.indexOf("|");
    return [Number(one.slice(0, cut)), one.slice(cut + 1)];
  });
  const readout = chart.previousElementSibling;
  if (!readings.length || !readout) continue;
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  line.setAttribute("class", "pointer");
  line.setAttribute("y1", chart.dataset.top);
  line.setAttribute("y2", chart.dataset.bottom);
  line.setAttribute("visibility", "hidden");
  chart.append(line);
  let current = readings.length - 1;
  const show = (number) => {
    current = Math.min(Math.max(number, 0), readings.length - 1);
    const [x, words] = readings[current];
    line.setAttribute("x1", x + "%");
    line.setAttribute("x2", x + "%");
    line.setAttribute("visibility", "visible");
    readout.textContent = words;
  };
  const nearest = (x) => {
    let low = 0;
    let high = readings.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (readings[middle][0] < x) low = middle + 1;
      else high = middle;
    }
    return low > 0 && x - readings[low - 1][0] < readings[low][0] - x ? low - 1 : low;
  };
  chart.addEventListener("pointermove", (event) => {
    const place = chart.getBoundingClientRect();
    show(nearest(((event.clientX - place.left) / place.width) * 100));
  });
  chart.addEventListener("pointerleave", () => {
    line.setAttribute("visibility", "hidden");
    readout.textContent = "";
  });
  chart.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      event.preventDefault();
      show(current + step);
    }
  });
}
