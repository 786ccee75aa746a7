"use strict";
(() => {
  const plot = JSON.parse(document.getElementById("plot").textContent);
  const root = document.documentElement;
  const color = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const seconds = (value) => (value == null ? "–" : String(+value.toFixed(3)));
  const number = (value) => (value == null ? "–" : String(+value.toPrecision(7)));
  const charts = [];
  const modes = [...new Set(plot.bands.map((band) => band.name))];
  const isDark = () =>
    root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const modeColor = (name) => {
    const colors = isDark() ? plot.darkBandColors : plot.bandColors;
    return colors[modes.indexOf(name) % colors.length];
  };
  const curveColor = (curve) => (isDark() ? curve.darkColor : curve.color);

  // Places are integers, the first one and the steps from each to the next.
  const places = (curve) => {
    let at = 0;
    return curve.x.map((step) => (at += step) * plot.xStep);
  };

  const drawBands = (u) => {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textBaseline = "top";
    for (const band of plot.bands) {
      const left = Math.max(u.valToPos(band.from, "x", true), bbox.left);
      const right = Math.min(u.valToPos(band.to, "x", true), bbox.left + bbox.width);
      if (right <= left) continue;
      ctx.fillStyle = modeColor(band.name);
      ctx.fillRect(left, bbox.top, right - left, bbox.height);
      if (ctx.measureText(band.name).width + 8 * devicePixelRatio < right - left) {
        ctx.fillStyle = color("--faint");
        ctx.fillText(band.name, left + 4 * devicePixelRatio, bbox.top + 3 * devicePixelRatio);
      }
    }
    ctx.restore();
  };

  const drawMarks = (u) => {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.strokeStyle = color("--mark");
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([devicePixelRatio, 3 * devicePixelRatio]);
    for (const mark of plot.marks) {
      const x = Math.round(u.valToPos(mark.at, "x", true));
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  };

  const drawHeat = (heat) => {
    const image = new Image();
    image.onload = () => charts.forEach((chart) => chart.redraw());
    image.src = heat.picture;
    return (u) => {
      const { ctx, bbox } = u;
      const [left, right] = [heat.from, heat.to].map((x) => u.valToPos(x, "x", true));
      const [bottom, top] = [heat.low, heat.high].map((y) => u.valToPos(y, "left", true));
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip();
      ctx.imageSmoothingEnabled = false;
      if (image.complete) ctx.drawImage(image, left, top, right - left, bottom - top);
      ctx.restore();
    };
  };

  const showMessage = (u) => {
    const at = u.cursor.left >= 0 ? u.posToVal(u.cursor.left, "x") : null;
    const reach = Math.abs(u.posToVal(8, "x") - u.posToVal(0, "x"));
    const near = at == null ? [] : plot.marks.filter((mark) => Math.abs(mark.at - at) <= reach).slice(0, 4);
    const mode = at == null ? null : plot.bands.find((band) => band.from <= at && at < band.to);
    const texts = near.map((mark) => `${seconds(mark.at)}: ${mark.text}`);
    document.getElementById("message").textContent = [...(mode ? [mode.name] : []), ...texts].join(" · ");
  };

  let isSyncing = false;
  const showRange = (u, key) => {
    if (key !== "x" || isSyncing) return;
    const { min, max } = u.scales.x;
    isSyncing = true;
    charts.filter((chart) => chart !== u).forEach((chart) => chart.setScale("x", { min, max }));
    isSyncing = false;
    document.getElementById("range").textContent = `${seconds(min)} to ${seconds(max)}`;
  };

  // Charts below each other begin and end at the same places.
  const states = plot.panels.flatMap((panel) => [...panel.leftStates, ...panel.rightStates]);
  const AXIS = Math.max(58, ...states.map(([, name]) => Math.min(24 + 7 * name.length, 180)));
  const LABEL = 22;
  const hasLeftLabel = plot.panels.some((panel) => panel.left);
  const rightRoom = (panel) => (panel.right == null ? 0 : AXIS + (panel.right ? LABEL : 0));
  const right = Math.max(16, ...plot.panels.map(rightRoom));

  const nameOf = (states, value) => states.find((state) => state[0] === value)?.[1];

  const axis = (scale, side, label, grid, states = []) => ({
    scale, side, label,
    labelSize: label || (scale === "left" && hasLeftLabel) ? LABEL : 0,
    size: AXIS,
    stroke: () => color("--text"),
    grid: { show: grid, stroke: () => color("--grid"), width: 1 },
    ticks: { stroke: () => color("--grid"), width: 1 },
    values: (u, splits) =>
      splits.map((value) => (value == null ? "" : nameOf(states, value) ?? String(+value.toPrecision(6)))),
    // States have their names in place of round numbers, unless the names would overlap.
    ...(states.length ? { splits: (u, i, min, max) => apart(u, scale, states, min, max) } : {}),
  });

  const apart = (u, scale, states, min, max) => {
    const room = 14 / Math.max(u.bbox.height / devicePixelRatio, 1) * (max - min);
    let free = -Infinity;
    return states.map(([value]) => value).filter((value) => {
      if (value < min || value > max || value < free) return false;
      free = value + room;
      return true;
    });
  };

  const chart = (panel, i, all) => {
    const tables = panel.curves.map((curve) => [places(curve), curve.y]);
    const isLast = i === all.length - 1;
    // uPlot needs the same places for all curves: a curve has `undefined` where it has no sample.
    const data = tables.length ? uPlot.join(tables) : [[panel.heat.from, panel.heat.to], [null, null]];
    const series = panel.curves.map((curve) => ({
      label: curve.name + (curve.unit ? ` (${curve.unit})` : "") + (curve.right ? " →" : ""),
      scale: curve.right ? "right" : "left",
      stroke: () => curveColor(curve),
      dash: curve.dash,
      width: 1.4,
      points: { show: false },
      value: (u, value) => nameOf(curve.states, value) ?? number(value),
    }));
    if (!tables.length) series.push({ label: panel.heat.name, scale: "left" });
    const range = (u, min, max) => {
      if (min == null) return [-1, 1];
      const room = (max - min) * 0.05 || Math.abs(max) * 0.1 || 1;
      return [min - room, max + room];
    };
    const heat = panel.heat;
    const options = {
      width: document.body.clientWidth - 32,
      height: heights(all.length),
      ms: 1,
      padding: [14, right - rightRoom(panel), 0, 0],
      scales: {
        x: { time: false, range: (u, min, max) => (min == null ? plot.xRange : [min, max]) },
        left: { range: heat ? [heat.low, heat.high] : range },
        right: { range },
      },
      series: [{ label: plot.xLabel, value: (u, value) => seconds(value) }, ...series],
      axes: [
        { ...axis("x", 2, isLast ? plot.xLabel : "", true), size: 34 },
        axis("left", 3, panel.left, true, panel.leftStates),
        ...(panel.right == null ? [] : [axis("right", 1, panel.right, false, panel.rightStates)]),
      ],
      cursor: {
        sync: { key: "binlog", setSeries: false },
        drag: { x: true, y: false, setScale: true },
        // The nearest sample of each curve, because curves have samples of their own.
        dataIdx: (u, s, hovered) => {
          if (s === 0) return hovered;
          const values = u.data[s];
          for (let step = 0; step < values.length; step++) {
            if (values[hovered - step] != null) return hovered - step;
            if (values[hovered + step] != null) return hovered + step;
          }
          return hovered;
        },
      },
      hooks: {
        drawClear: heat ? [drawHeat(heat)] : [drawBands],
        draw: [drawMarks],
        setScale: [showRange],
        setCursor: [showMessage],
      },
    };
    const place = document.createElement("div");
    place.className = "chart";
    document.getElementById("charts").append(place);
    return new uPlot(options, data, place);
  };

  const heights = (panels) => Math.max(180, Math.min(460, (innerHeight - 190) / panels - 40));
  plot.panels.forEach((panel, i, all) => charts.push(chart(panel, i, all)));
  charts.forEach((u) => u.setScale("x", { min: plot.xRange[0], max: plot.xRange[1] }));

  const reset = () => charts.forEach((u) => u.setScale("x", { min: plot.xRange[0], max: plot.xRange[1] }));
  document.getElementById("reset").addEventListener("click", reset);
  addEventListener("resize", () => {
    const width = document.body.clientWidth - 32;
    charts.forEach((u) => u.setSize({ width, height: heights(charts.length) }));
  });

  const themeButton = document.getElementById("theme");
  const showTheme = () => {
    themeButton.textContent = isDark() ? "Light" : "Dark";
    charts.forEach((u, i) => {
      u.redraw(false);
      plot.panels[i].curves.forEach((curve, s) => {
        const marker = u.root.querySelectorAll(".u-legend .u-series")[s + 1].querySelector(".u-marker");
        marker.style.background = marker.style.borderColor = curveColor(curve);
      });
    });
    showModes();
  };
  themeButton.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    showTheme();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);

  function showModes() {
    const list = document.getElementById("modes");
    list.replaceChildren(...modes.map((name) => {
      const entry = document.createElement("span");
      const chip = document.createElement("i");
      chip.style.background = modeColor(name);
      entry.append(chip, name);
      return entry;
    }));
  }

  const messages = document.getElementById("messages");
  messages.hidden = !plot.marks.length;
  messages.querySelector("summary").textContent = `Messages and events (${plot.marks.length})`;
  messages.querySelector("tbody").append(...plot.marks.map((mark) => {
    const row = document.createElement("tr");
    for (const text of [seconds(mark.at), mark.text]) {
      const cell = document.createElement("td");
      cell.textContent = text;
      row.append(cell);
    }
    return row;
  }));
  showTheme();
})();
