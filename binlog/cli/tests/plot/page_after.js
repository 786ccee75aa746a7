(async () => {
  const found = {};
  const pause = () => new Promise((done) => setTimeout(done, 100));
  try {
    const over = document.querySelector(".u-over");
    const box = () => over.getBoundingClientRect();
    const mouse = (type, share, target = over) => {
      const { left, top, width, height } = box();
      target.dispatchEvent(new MouseEvent(type, {
        bubbles: true, button: 0, clientX: left + share * width, clientY: top + height / 2, movementX: 1, movementY: 1,
      }));
    };
    const range = () => document.getElementById("range").textContent.split(" to ").map(Number);
    found.title = document.querySelector("h1").textContent;
    found.marks = document.querySelectorAll("#messages tbody tr").length;
    await pause();
    [found.from, found.to] = range();
    mouse("mouseenter", 0.25);
    mouse("mousemove", 0.25);
    mouse("mousedown", 0.25);
    await pause();
    mouse("mousemove", 0.4);
    mouse("mousemove", 0.5);
    await pause();
    mouse("mouseup", 0.5, document);
    await pause();
    [found.zoomedFrom, found.zoomedTo] = range();
    mouse("dblclick", 0.5);
    await pause();
    [found.resetFrom, found.resetTo] = range();

    mouse("mousemove", 0.15);
    await pause();
    const message = document.getElementById("message").textContent;
    found.message = [message.split(" · ")[0], message.includes("Take-off <fast> & high")];
    mouse("mousemove", 0.25);
    await pause();
    found.values = [...document.querySelectorAll(".u-legend .u-value")].map((value) => value.textContent);
    [found.cursorTime, found.cursorRoll] = found.values.map(Number);

    const entry = document.querySelectorAll(".u-legend .u-series")[1];
    const isHidden = () => entry.classList.contains("u-off");
    found.hidden = [isHidden()];
    for (let i = 0; i < 2; i++) {
      entry.querySelector("th").click();
      await pause();
      found.hidden.push(isHidden());
    }

    const background = () => getComputedStyle(document.body).backgroundColor;
    found.background = background();
    document.getElementById("theme").click();
    await pause();
    found.otherBackground = background();
  } catch (error) {
    foundErrors.push(String(error.stack));
  }
  found.errors = foundErrors;
  found.requests = performance.getEntriesByType("resource").map((entry) => entry.name)
    .filter((name) => !name.startsWith("data:"));
  const element = document.createElement("pre");
  element.id = "found";
  element.textContent = JSON.stringify(found);
  document.body.append(element);
})();
