"use strict";
// Builds the page from the data beside it. All text goes in as text, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const page = document.getElementById("page");
  const COLOURS = 8, FEW_ROWS = 300, GROUP = 100, FEW_ARROWS = 60, LEAST_FOLD = 4;

  /** An element with attributes (`class`, `on…`, others) and children (elements or text). */
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };
  const drawn = (tag, attributes, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
  const baseName = (name) => name.slice(name.lastIndexOf("/") + 1) || name;
  const placeText = (place) => (place ? `${data.files[place[0]].name}:${place[1]}` : "");

  // ---- The source -----------------------------------------------------------------------------------------------

  const WORDS = new Set(("auto bool break case char const continue default do double else enum extern float for goto if inline int " +
    "long register return short signed sizeof static struct switch typedef union unsigned void volatile while _Atomic _Bool").split(" "));
  const TOKEN = /\/\/.*|\/\*|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|[A-Za-z_$][\w$]*|\d[\w.]*|\s+|[^]/gu;

  /** A line of C with its comments, texts, numbers and keywords told apart. `state.comment`: inside a comment of several lines. */
  const highlighted = (text, state) => {
    const parts = [];
    const put = (kind, piece) => parts.push(kind ? make("span", { class: kind }, piece) : piece);
    let rest = text;
    while (rest) {
      if (state.comment) {
        const end = rest.indexOf("*/");
        put("c", end < 0 ? rest : rest.slice(0, end + 2));
        state.comment = end < 0;
        rest = end < 0 ? "" : rest.slice(end + 2);
        continue;
      }
      TOKEN.lastIndex = 0;
      const token = TOKEN.exec(rest)[0];
      if (token === "/*") { state.comment = true; put("c", token); }
      else if (token.startsWith("//")) put("c", token);
      else if (token[0] === '"' || token[0] === "'") put("s", token);
      else if (/^\d/.test(token)) put("n", token);
      else put(WORDS.has(token) ? "w" : token[0] === "#" ? "h" : "", token);
      rest = rest.slice(token.length);
    }
    return parts;
  };

  /** All files, and their lines by place. `chosen(place)` is called for a line that a user clicks on. */
  const sourceView = (chosen, used) => {
    const lines = new Map();
    const parts = data.files.map((file, number) => {
      const list = make("div", { class: "lines", role: "list", "aria-label": `Source of ${file.name}` });
      file.parts.forEach(([first, texts], part) => {
        if (part > 0) list.append(make("div", { class: "gap", "aria-hidden": "true" }, "⋯"));
        const state = { comment: false };
        texts.forEach((text, offset) => {
          const line = first + offset, key = `${number}:${line}`;
          const has = used.has(key);
          const code = make("code", {}, ...highlighted(text, state));
          const row = make("div", { class: has ? "line used" : "line", role: "listitem" },
            make("span", { class: "marks" }), make("span", { class: "number" }, String(line)), code);
          if (has) row.addEventListener("click", () => chosen([number, line]));
          lines.set(key, row);
          list.append(row);
        });
      });
      return make("details", { class: "file", open: true }, make("summary", {}, file.name), list);
    });
    return { element: make("section", { class: "source", "aria-label": "Source" }, ...parts), lines };
  };

  /** Shows a line without moving anything but its own scroller. */
  const showIn = (scroller, element) => {
    const outer = scroller.getBoundingClientRect(), inner = element.getBoundingClientRect();
    if (inner.top < outer.top + 40 || inner.bottom > outer.bottom - 20) {
      scroller.scrollTop += inner.top - outer.top - outer.height / 3;
    }
  };

  // ---- A story --------------------------------------------------------------------------------------------------

  /** Memory and store buffers after each step, computed when asked for. */
  const stateAfter = (story, last) => {
    const memory = new Map(Object.entries(story.initial).map(([place, value]) => [Number(place), value]));
    const buffers = story.threads.map(() => []);
    const now = { sets: new Map(), enters: new Set(), leaves: [], reads: new Set() };
    for (let at = 0; at <= last; at++) {
      const step = story.steps[at], isNow = at === last;
      for (const [kind, place, value, store] of step.e || []) {
        if (kind === "s" || kind === "l") {
          if (isNow && !now.sets.has(place)) now.sets.set(place, memory.get(place));
          memory.set(place, value);
        }
        if (kind === "e") {
          buffers[step.t].push({ place, value, store });
          if (isNow) now.enters.add(store);
        }
        if (kind === "l") {
          const index = buffers[step.t].findIndex((entry) => entry.store === store);
          if (index >= 0) buffers[step.t].splice(index, 1);
          if (isNow) now.leaves.push({ place, value, store, thread: step.t });
        }
        if (kind === "r" && isNow) now.reads.add(place);
      }
    }
    return { memory, buffers, now };
  };

  const storyView = (finding) => {
    const story = finding.story, steps = story.steps;
    const short = (text) => (text.length > 40 ? `${text.slice(0, 28)}…${text.slice(-10)}` : text);
    const name = (thread) => story.threads[thread][1] === "main" || !story.threads[thread][1]
      ? story.threads[thread][0] : `${story.threads[thread][0]} (${short(story.threads[thread][1])})`;
    const active = [...new Set(steps.map((step) => step.t))].sort((a, b) => a - b);
    const column = new Map(active.map((thread, index) => [thread, index]));
    const crowded = active.length > 8;
    const colour = (thread) => `t${(column.get(thread) ?? 0) % COLOURS}`;
    const buffered = steps.some((step) => (step.e || []).some((effect) => effect[0] === "e"));

    let current = -1;
    const inCycle = new Set(story.cycle.flatMap((edge) => [edge.from, edge.to]));

    // Groups of rows: what comes before a second thread acts, then as many as are easy to look through.
    const second = steps.findIndex((step) => step.t !== steps[0].t);
    const beginning = second >= LEAST_FOLD ? second : 0;
    const size = steps.length > FEW_ROWS ? GROUP : Math.max(steps.length, 1);
    const groups = [];
    const group = (from, to, label) => groups.push({ from, to, label, open: false, built: false });
    if (beginning) group(0, beginning, "before the first switch");
    for (let from = beginning; from < steps.length; from += size) group(from, Math.min(from + size, steps.length), "");
    const groupOf = (at) => groups.find((one) => at >= one.from && at < one.to);

    const table = make("table", { class: crowded ? "story crowded" : "story" });
    table.style.setProperty("--columns", crowded ? 1 : active.length);
    table.append(make("caption", { class: "hidden" }, "What happens, step by step, one column per thread"));
    const head = make("tr", {}, make("th", { scope: "col" }, make("span", { class: "hidden" }, "Step")));
    if (crowded) head.append(make("th", { scope: "col" }, count(active.length, "thread")));
    else for (const thread of active) head.append(make("th", { scope: "col", class: colour(thread) }, name(thread)));
    table.append(make("thead", {}, head));

    const rows = [], heads = [];
    let switches = 0;
    const switchAt = steps.map((step, at) => (at > 0 && steps[at - 1].t !== step.t ? ++switches : 0));
    const lineText = (place) => {
      for (const [first, texts] of place ? data.files[place[0]].parts : []) {
        const text = texts[place[1] - first];
        if (place[1] >= first && text !== undefined) return text.trim();
      }
      return "";
    };
    const samePlace = (a, b) => a && b && a[0] === b[0] && a[1] === b[1];
    const buildRow = (at) => {
      const step = steps[at], before = at > 0 ? steps[at - 1] : null;
      const switched = switchAt[at] > 0;
      const isNew = step.p && step.k !== "commit" && (at === 0 || switched || !samePlace(before.p, step.p) || before.k === "commit");
      const cell = make("td", { class: `own ${colour(step.t)}` });
      cell.append(make("span", { class: "what" }, make("i", { class: "dot", "aria-hidden": "true" }), step.x));
      const own = crowded ? 0 : column.get(step.t);
      const line = (kind, number, content) => {
        const row = make("tr", { class: kind, onclick: () => go(at) }, number);
        for (let index = 0; index < (crowded ? 1 : active.length); index++) row.append(index === own ? content : make("td", { class: "other" }));
        return row;
      };
      const built = [];
      if (isNew || switched || at === 0) {
        const head = make("td", { class: `own ${colour(step.t)}` });
        if (crowded || switched || at === 0) head.append(make("span", { class: crowded ? "who always" : "who" }, name(step.t)));
        if (isNew) {
          const where = !before || switched || before.f !== step.f ? `${step.f ? `${short(step.f)}, ` : ""}${baseName(placeText(step.p))}` : String(step.p[1]);
          head.append(make("span", { class: "where" }, `${where}: `, make("code", {}, lineText(step.p))));
        }
        const row = line(`at${switched ? " switched" : ""}`, make("th"), head);
        if (switched) row.title = `switch ${switchAt[at]}`;
        heads[at] = row;
        built.push(row);
      }
      const row = line(`step k-${step.k}${inCycle.has(at) ? " cyclic" : ""}`, make("th", { scope: "row" }, `#${step.n}`), cell);
      rows[at] = row;
      built.push(row);
      return built;
    };
    const columns = 1 + (crowded ? 1 : active.length);
    const open = (one, wanted) => {
      one.open = wanted;
      if (wanted && !one.built) {
        one.built = true;
        for (let at = one.from; at < one.to; at++) one.body.append(...buildRow(at));
      }
      one.body.hidden = !wanted;
      if (one.button) {
        one.button.setAttribute("aria-expanded", String(wanted));
        one.button.firstChild.textContent = wanted ? "▾ " : "▸ ";
      }
    };
    groups.forEach((one, index) => {
      one.body = make("tbody", { id: `group${index}` });
      if (groups.length > 1 && (one.label || groups.length > 2)) {
        const first = steps[one.from].n, last = steps[one.to - 1].n;
        const text = `${count(one.to - one.from, "step")}${one.label ? ` ${one.label}` : ""} (#${first} to #${last})`;
        one.button = make("button", { type: "button", class: "fold", "aria-controls": one.body.id, onclick: () => { open(one, !one.open); draw(); } },
          make("span", { "aria-hidden": "true" }, "▸ "), text);
        table.append(make("tbody", { class: "folds" }, make("tr", {}, make("td", { colspan: columns }, one.button))));
      }
      table.append(one.body);
    });
    groups.forEach((one) => open(one, !one.button || (steps.length <= FEW_ROWS && !one.label)));

    // Arrows: from a store to the moment when it reaches memory, from a write to its readers, and the cycle.
    const layer = drawn("svg", { class: "arrows", "aria-hidden": "true" });
    const timeline = make("div", { class: "timeline", tabindex: "0", role: "region", "aria-label": "Steps" },
      make("div", { class: "sheet" }, layer, table));
    const sheet = timeline.firstChild;
    const arrows = [];
    steps.forEach((step, at) => (step.e || []).forEach((effect) => {
      if (effect[0] === "l" && effect[4] !== null && effect[4] !== at) arrows.push({ from: effect[4], to: at, kind: "delay" });
      if (effect[0] === "r" && typeof effect[3] === "number" && effect[3] !== at) arrows.push({ from: effect[3], to: at, kind: "rf" });
    }));
    const arrowsAt = steps.map(() => []);
    for (const arrow of arrows) { arrowsAt[arrow.from].push(arrow); arrowsAt[arrow.to].push(arrow); }
    const dotOf = (at, base) => {
      const dot = rows[at] && rows[at].isConnected && !rows[at].parentNode.hidden ? rows[at].querySelector(".dot") : null;
      if (!dot) return null;
      const box = dot.getBoundingClientRect();
      return { x: box.left + box.width / 2 - base.left, y: box.top + box.height / 2 - base.top };
    };
    const drawArrow = (arrow, base, isCurrent) => {
      const from = dotOf(arrow.from, base), to = dotOf(arrow.to, base);
      if (!from || !to) return;
      const bow = arrow.rel ? 34 : 16;
      const span = Math.abs(to.y - from.y);
      const same = Math.abs(from.x - to.x) < 2;
      const out = same ? Math.min(bow + span / 12, 60) * (arrow.rel ? 1 : 0.7) : 0;
      const middle = same
        ? `C ${from.x - out} ${from.y + (to.y - from.y) * 0.25}, ${to.x - out} ${to.y - (to.y - from.y) * 0.25},`
        : `C ${from.x + (to.x - from.x) * 0.5} ${from.y}, ${from.x + (to.x - from.x) * 0.5} ${to.y},`;
      const kind = arrow.rel ? `cycle ${arrow.rel}` : arrow.kind;
      layer.append(drawn("path", {
        class: `arrow ${kind}${isCurrent ? " current" : ""}`, d: `M ${from.x} ${from.y} ${middle} ${to.x} ${to.y}`,
        "marker-end": arrow.rel ? "url(#tip-cycle)" : "url(#tip)",
      }));
      if (arrow.rel) {
        // Where the curve is after a third of its way, so that two arrows between the same threads are told apart.
        const t = same ? 0.5 : 0.3, u = 1 - t, half = (from.x + to.x) / 2;
        const bend = (a, b, c, d) => u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d;
        const x = same ? from.x - out * 0.75 : bend(from.x, half, half, to.x), y = same ? (from.y + to.y) / 2 : bend(from.y, from.y, to.y, to.y);
        layer.append(drawn("text", { class: `label ${arrow.rel}`, x, y, "text-anchor": "middle" }, arrow.rel));
      }
    };
    const tip = (id, tone) => drawn("marker", { id, viewBox: "0 0 8 8", refX: 9, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse", markerUnits: "userSpaceOnUse" },
      drawn("path", { d: "M 0 0 L 8 4 L 0 8 z", class: tone }));
    const draw = () => {
      if (!sheet.isConnected) return;
      const base = sheet.getBoundingClientRect();
      layer.setAttribute("width", base.width);
      layer.setAttribute("height", base.height);
      layer.replaceChildren(drawn("defs", {}, tip("tip", "tip"), tip("tip-cycle", "tip-cycle")));
      const near = arrowsAt[current] || [];
      if (arrows.length <= FEW_ARROWS) arrows.filter((arrow) => !near.includes(arrow)).forEach((arrow) => drawArrow(arrow, base, false));
      near.slice(0, FEW_ARROWS).forEach((arrow) => drawArrow(arrow, base, true));
      story.cycle.filter((edge) => edge.from !== null && edge.to !== null && edge.from !== edge.to).forEach((edge) => drawArrow(edge, base, false));
    };

    // The state: memory and store buffers.
    const memoryRows = new Map();
    const memoryBody = make("tbody");
    const memoryTable = make("table", { class: "memory" }, make("caption", {}, "Memory"), make("thead", { class: "hidden" },
      make("tr", {}, make("th", { scope: "col" }, "Place"), make("th", { scope: "col" }, "Value"))), memoryBody);
    const lanes = make("div", { class: "lanes" });
    const buffersPart = make("section", { class: "buffers", "aria-label": "Store buffers" }, make("h3", {}, "Store buffers"), lanes);
    buffersPart.hidden = !buffered;
    const box = (entry, kind) => make("li", { class: `box ${kind}` }, `${story.places[entry.place]} = ${entry.value}`,
      kind === "fresh" ? make("span", { class: "hidden" }, " (new)") : null,
      kind === "leaving" ? make("span", { class: "hidden" }, " (reaches memory)") : null);
    const showBuffers = (state) => {
      const parts = [];
      for (const thread of active) {
        const entries = state.buffers[thread];
        const leaving = state.now.leaves.filter((entry) => entry.thread === thread);
        const everBuffered = steps.some((step) => step.t === thread && (step.e || []).some((effect) => effect[0] === "e"));
        if (!everBuffered) continue;
        // Under PSO each place has a buffer of its own.
        const keys = story.lanes === "place" ? [...new Set([...leaving, ...entries].map((entry) => entry.place))] : [null];
        const mine = (list, key) => list.filter((entry) => key === null || entry.place === key);
        const rowsOf = (keys.length ? keys : [null]).map((key) => {
          const all = [...mine(leaving, key).map((entry) => box(entry, "leaving")),
            ...mine(entries, key).map((entry) => box(entry, state.now.enters.has(entry.store) ? "fresh" : "held"))];
          return all.length ? make("ol", { class: "queue", "aria-label": "oldest first" }, ...all) : make("p", { class: "empty" }, "empty");
        });
        parts.push(make("div", { class: `lane ${colour(thread)}` }, make("h4", {}, name(thread)), ...rowsOf));
      }
      lanes.replaceChildren(...parts);
    };
    const showMemory = (state) => {
      const shownPlaces = story.places.length > 400
        ? [...new Set([...state.now.sets.keys(), ...state.now.reads, ...state.memory.keys()])].slice(0, 400)
        : story.places.map((_, place) => place);
      if (story.places.length > 400) { memoryRows.clear(); memoryBody.replaceChildren(); }
      for (const place of shownPlaces) {
        let row = memoryRows.get(place);
        if (!row) {
          row = make("tr", {}, make("th", { scope: "row" }, story.places[place]), make("td"));
          memoryRows.set(place, row);
          memoryBody.append(row);
        }
        const changed = state.now.sets.has(place), old = state.now.sets.get(place);
        const pending = state.buffers.some((entries) => entries.some((entry) => entry.place === place));
        row.className = changed ? "changed" : state.now.reads.has(place) ? "read" : "";
        row.classList.toggle("pending", pending);
        const value = state.memory.get(place);
        row.lastChild.replaceChildren(make("span", { class: value === undefined ? "value old" : "value" }, value ?? "initial"),
          changed ? make("span", { class: "old" }, ` was ${old ?? "initial"}`) : "",
          !changed && pending ? make("span", { class: "old" }, " a store is delayed") : "");
      }
    };

    // The controls.
    const slider = make("input", { type: "range", min: 0, max: steps.length - 1, step: 1, id: "slider", "aria-label": "Step", oninput: () => go(Number(slider.value)) });
    const said = make("output", { class: "said", "aria-live": "polite", id: "said" });
    const button = (label, sign, move) => make("button", { type: "button", "aria-label": label, title: label, onclick: move }, make("span", { "aria-hidden": "true" }, sign));
    const controls = make("div", { class: "controls" },
      make("div", { class: "buttons" },
        button("First step (Home)", "|◀", () => go(0)), button("Step back (←)", "◀", () => go(current - 1)),
        button("Step (→)", "▶", () => go(current + 1)), button("Last step (End)", "▶|", () => go(steps.length - 1)), slider), said);

    const used = new Set(steps.filter((step) => step.p).map((step) => step.p.join(":")));
    if (finding.place) used.add(finding.place.join(":"));
    const source = sourceView((place) => {
      const at = [...steps.keys()].map((index) => (current + 1 + index) % steps.length).find((index) => samePlace(steps[index].p, place));
      if (at !== undefined) go(at);
    }, used);
    const wrong = finding.place && source.lines.get(finding.place.join(":"));
    if (wrong) wrong.classList.add("wrong");

    let marked = [];
    const mark = (at) => {
      for (const row of marked) { row.classList.remove("here", "stays"); row.firstChild.replaceChildren(); }
      marked = [];
      const last = new Map();
      for (let index = 0; index <= at; index++) if (steps[index].p && steps[index].k !== "commit") last.set(steps[index].t, index);
      for (const [thread, index] of last) {
        const row = source.lines.get(steps[index].p.join(":"));
        if (!row) continue;
        row.classList.add(thread === steps[at].t ? "here" : "stays");
        row.firstChild.append(make("b", { class: `mark ${colour(thread)}`, title: name(thread) }, story.threads[thread][0].replace("main.", "") || "main"));
        marked.push(row);
      }
      const here = steps[at].p && source.lines.get(steps[at].p.join(":"));
      if (here && source.element.scrollHeight > source.element.clientHeight + 4) showIn(source.element, here);
    };

    const go = (wanted, quietly) => {
      const at = Math.max(0, Math.min(steps.length - 1, wanted));
      if (at === current) return;
      const old = current;
      current = at;
      const one = groupOf(at);
      if (!one.open) open(one, true);
      if (rows[old]) { rows[old].classList.remove("current"); rows[old].removeAttribute("aria-current"); }
      rows[at].classList.add("current");
      rows[at].setAttribute("aria-current", "step");
      // What has not happened yet is pale.
      const [low, high] = old < 0 ? [0, steps.length - 1] : [Math.min(old, at), Math.max(old, at)];
      for (let index = low; index <= high; index++) for (const row of [rows[index], heads[index]]) if (row) row.classList.toggle("later", index > at);
      slider.value = String(at);
      slider.setAttribute("aria-valuetext", `step ${at + 1} of ${steps.length}`);
      const step = steps[at];
      said.replaceChildren(make("b", {}, `${at + 1} of ${steps.length}`), ` · `, make("span", { class: `name ${colour(step.t)}` }, name(step.t)),
        step.p ? `, ${placeText(step.p)}: ` : ": ", make("span", { class: "does" }, step.x));
      const state = stateAfter(story, at);
      showMemory(state);
      showBuffers(state);
      mark(at);
      if (!quietly) {
        showIn(timeline, rows[at]);
        if (timeline.scrollHeight <= timeline.clientHeight + 4) rows[at].scrollIntoView({ block: "nearest" });
      }
      draw();
    };

    const cycle = story.cycle.length ? make("section", { class: "cycle", "aria-label": "Cycle" },
      make("h3", {}, "Why sequential consistency forbids this"),
      make("p", {}, `These ${count(story.cycle.length, "access").replace("accesss", "accesses")} form a circle: no order of all accesses has each of them where the arrows want it.`),
      make("ol", {}, ...story.cycle.map((edge, index) => {
        const text = edge.from === null ? edge.place : `#${steps[edge.from].n} ${name(steps[edge.from].t)}: ${steps[edge.from].x}`;
        const next = index + 1 === story.cycle.length ? "the first" : "the next";
        const jump = edge.from === null ? text : make("button", { type: "button", class: "jump", onclick: () => go(edge.from) }, text);
        return make("li", {}, jump, " ", make("span", { class: `relation ${edge.rel}` }, edge.rel), ` ${edge.phrase} ${next}`);
      }))) : null;
    const legend = make("p", { class: "legend" }, buffered ? make("span", { class: "key delay" }, "a store reaches memory later") : null,
      make("span", { class: "key rf" }, "a read gets its value"), story.cycle.length ? make("span", { class: "key loop" }, "the cycle") : null,
      make("span", { class: "key keys" }, make("kbd", {}, "←"), " ", make("kbd", {}, "→"), " ", make("kbd", {}, "Home"), " ", make("kbd", {}, "End")));

    const element = make("div", { class: "whole" }, controls,
      make("div", { class: "panes" }, source.element, make("div", { class: "middle" }, timeline, legend, cycle),
        make("aside", { class: "state", "aria-label": "State after the step" }, buffersPart, memoryTable)));
    const keys = { ArrowLeft: () => go(current - 1), ArrowRight: () => go(current + 1), Home: () => go(0), End: () => go(steps.length - 1) };
    const key = (event) => {
      const act = keys[event.key];
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
      if (!act || typing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      act();
    };
    return {
      element, key, draw,
      begin: () => { go(steps.length - 1, true); },
      beforePrint: () => { if (steps.length <= 2000) groups.forEach((one) => open(one, true)); },
    };
  };

  // ---- What a verdict without an execution covers ----------------------------------------------------------------

  const coverView = (finding) => {
    const cover = finding.cover, used = new Set();
    const source = sourceView(() => {}, used);
    const paint = (place, kind, text) => {
      const row = place && source.lines.get(place.join(":"));
      if (!row || row.classList.contains("missed")) return;
      row.classList.remove("came", "missed", "never");
      row.classList.add(kind);
      row.title = text;
      row.firstChild.replaceChildren(make("b", { class: "mark", "aria-label": text }, { came: "✓", missed: "✗", never: "–" }[kind]));
    };
    for (const place of cover.lines || []) paint(place, "came", "executions come here");
    for (const place of cover.never || []) paint(place, "never", "no execution was seen here");
    for (const place of [...cover.threads, ...cover.checks]) paint(place, "came", "executions come here");
    for (const point of cover.missed) paint(point.place, "missed", `${point.what}: no execution comes here`);
    const text = cover.missed.length
      ? `${count(cover.missed.length, "place")} that matter for the verdict ${cover.missed.length === 1 ? "was" : "were"} never come to:`
      : "Executions come to every assertion and every thread function.";
    const list = cover.missed.length ? make("ul", { class: "missing" }, ...cover.missed.map((point) => make("li", {}, `${point.what} at ${placeText(point.place)}`))) : null;
    const legend = make("p", { class: "legend" }, make("span", { class: "key came" }, "executions come here"),
      cover.missed.length ? make("span", { class: "key missed" }, "never come to") : null,
      (cover.never || []).length ? make("span", { class: "key never" }, "not seen") : null);
    const element = make("div", { class: "whole" }, make("section", { class: "covered" }, make("h3", {}, "Coverage"), make("p", {}, text), list,
      cover.how ? make("p", { class: "how" }, cover.how) : null, legend), source.element);
    return { element, key: () => {}, draw: () => {}, begin: () => {}, beforePrint: () => {} };
  };

  // ---- The page --------------------------------------------------------------------------------------------------

  const place = make("div", { class: "place" });
  let shown = null;
  const show = (finding, index) => {
    const view = finding.story && finding.story.steps.length ? storyView(finding) : finding.cover ? coverView(finding)
      : { element: make("div"), key: () => {}, draw: () => {}, begin: () => {}, beforePrint: () => {} };
    const word = finding.word.replace(" ", "-");
    const heading = make("header", { class: `verdict ${word}` }, make("h1", {}, finding.line),
      finding.message ? make("p", { class: "message" }, finding.message) : null,
      ...finding.remarks.map((remark) => make("p", { class: "remark" }, remark)));
    place.replaceChildren(heading, view.element);
    document.title = finding.line;
    shown = view;
    for (const [number, tab] of tabs.entries()) tab.setAttribute("aria-pressed", String(number === index));
    view.begin();
  };
  const tabs = data.findings.length < 2 ? [] : data.findings.map((finding, index) => make("button", {
    type: "button", class: `tab ${finding.word.replace(" ", "-")}`, onclick: () => show(finding, index),
  }, `${finding.model.toUpperCase()}: ${finding.word}`));
  page.replaceChildren(tabs.length ? make("nav", { class: "tabs", "aria-label": "Memory models" }, ...tabs) : "", place,
    make("footer", {}, `Norn ${data.version}`));
  document.addEventListener("keydown", (event) => shown.key(event));
  window.addEventListener("beforeprint", () => shown.beforePrint());
  const begin = Math.max(0, data.findings.findIndex((finding) => finding.story));
  show(data.findings[begin], begin);
  if (window.ResizeObserver) new ResizeObserver(() => shown.draw()).observe(place);
  document.addEventListener("toggle", () => shown.draw(), true);
})();
