"use strict";
// The page works without this file. With it: keys, a countdown, what happens elsewhere at once, and viewed marks.
(() => {
  const page = document.body.dataset.page;
  const all = (query, from = document) => [...from.querySelectorAll(query)];
  const one = (query) => document.querySelector(query);

  // The one-time link: opening the page used nothing up; this does.
  one("form[data-open]")?.requestSubmit();
  if (page === "open" || page === "message" && !one(".bar")) return;

  // --- Times that stay right.
  const span = (ms) => {
    const s = Math.max(0, Math.floor(ms / 1000));
    if (s < 60) return `${s} s`;
    if (s < 3600) return `${Math.floor(s / 60)} min`;
    if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor(s % 3600 / 60)} min`;
    return `${Math.floor(s / 86400)} d`;
  };
  const tick = () => {
    for (const time of all("time[data-kind]")) {
      const at = Date.parse(time.dateTime);
      if (Number.isNaN(at)) continue;
      const left = at - Date.now();
      const words = time.dataset.kind === "ago" ? `${span(-left)} ago` : left <= 0 ? "time is over" : `${span(left)} left`;
      if (time.textContent !== words) time.textContent = words;
    }
  };
  setInterval(tick, 1000);

  // --- What happens elsewhere.
  const say = (words) => {
    const live = one("#live");
    live.replaceChildren();
    const p = document.createElement("p");
    p.textContent = words;
    live.append(p);
    clearTimeout(say.timer);
    say.timer = setTimeout(() => live.replaceChildren(), 8000);
  };
  const busy = () => document.activeElement?.matches("input:not([type=checkbox]), textarea")
    && document.activeElement.value !== "";
  let waiting = false;
  const refresh = async () => {
    if (busy()) { waiting = true; return; }
    waiting = false;
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of ["main", ".bar"]) {
      const here = one(part), there = next.querySelector(part);
      if (here && there) here.replaceWith(document.importNode(there, true));
    }
    restore();
  };
  document.addEventListener("focusout", () => { if (waiting) setTimeout(() => { if (waiting) refresh(); }, 300); });
  const note = (words) => {
    const item = document.createElement("li");
    item.textContent = words;
    one("#progress")?.append(item);
  };
  const progress = (event) => {
    const words = { staged: "prepared", committing: "applying", done: "done", rolling_back: "putting back:", check: "check", output: "│" };
    if (event.event === "ended") return;
    note(`${words[event.event] ?? event.event} ${event.words}`);
  };
  const listen = () => {
    const events = new EventSource("/events");
    let lost = false;
    events.onopen = () => { if (lost) { lost = false; refresh(); } };
    events.onerror = () => { lost = true; };
    events.onmessage = (message) => {
      const event = JSON.parse(message.data);
      const here = one("#plan")?.dataset.plan;
      if (event.type === "run" && event.plan === here) {
        progress(event);
        if (event.event === "ended") refresh();
      } else if (event.type === "ask") {
        if (event.ask !== one("#ask")?.dataset.ask) return;
        if (event.words === null) location.reload(); else note(event.words);
      } else if (event.type === "plan") {
        told(event);
        if (event.plan === here) {
          say(event.why ? `${event.why} just now: this plan ${event.status === "expired" ? "expired" : `is ${event.status}`}` : `This plan is ${event.status.replaceAll("_", " ")}.`);
          refresh();
        } else if (page === "inbox" || page === "history") {
          refresh();
        }
      } else if (event.type === "all") {
        refresh();
      }
    };
  };
  // What a person has to know, wherever they are: on the page, in the title, and by the browser if they said so.
  const NEWS = {
    pending: "A plan waits for you", rolled_back: "A run failed, and everything is as before", needs_attention: "A run needs attention",
    unknown: "Nobody can tell how a run ended", unasked: "A plan ran without anybody being asked",
  };
  const told = (event) => {
    const news = NEWS[event.unasked ? "unasked" : event.status];
    if (!news) return;
    if (event.plan !== one("#plan")?.dataset.plan) say(event.title ? `${news}: ${event.title}` : news);
    if (!document.hidden) return;
    document.title = `● ${document.title.replace(/^● /, "")}`;
    if (!window.Notification || Notification.permission !== "granted") return;
    const shown = new Notification(news, { body: event.title, tag: event.plan, icon: "/assets/icon.svg" });
    shown.onclick = () => { window.focus(); location.href = `/plans/${event.plan}`; };
  };
  const offer = () => {
    const button = one("#notify");
    if (!button || !window.Notification) return;
    button.hidden = Notification.permission !== "default";
    button.onclick = async () => { await Notification.requestPermission(); offer(); };
  };
  document.addEventListener("visibilitychange", () => { document.title = document.title.replace(/^● /, ""); });
  if (window.EventSource) listen();

  // --- Viewed marks: this browser's own, by the hash of what was viewed.
  const seen = () => `viewed ${one("#plan")?.dataset.hash}`;
  // The same marks beside the files of a long plan.
  const mark = () => {
    const boxes = all("[data-viewed]"), seen = new Set(boxes.filter((box) => box.checked).map((box) => box.dataset.viewed));
    for (const file of all("[data-mark]")) file.querySelector(".mark").hidden = !seen.has(file.dataset.mark);
    const count = one("#viewed-count");
    if (count) count.textContent = seen.size ? `(${seen.size} of ${boxes.length} viewed)` : "";
  };
  const restore = () => {
    const marks = new Set(JSON.parse(localStorage.getItem(seen()) ?? "[]"));
    for (const box of all("[data-viewed]")) {
      box.checked = marks.has(box.dataset.viewed);
      box.closest(".step").classList.toggle("seen", box.checked);
    }
    mark();
    offer();
    tick();
  };
  document.addEventListener("change", (event) => {
    const box = event.target;
    if (!box.matches?.("[data-viewed]")) return;
    box.closest(".step").classList.toggle("seen", box.checked);
    const marks = all("[data-viewed]").filter((box) => box.checked).map((box) => box.dataset.viewed);
    localStorage.setItem(seen(), JSON.stringify(marks));
    mark();
  });
  restore();

  // --- A click on a line's number asks for changes there.
  document.documentElement.classList.add("scripted");
  document.addEventListener("click", (event) => {
    const cell = event.target.closest?.(".diff td.no");
    const act = one('.act[data-key="c"]');
    if (!cell || !act || !cell.textContent) return;
    act.open = true;
    act.querySelector("[data-at]").value = `${cell.closest(".step").dataset.file}:${cell.textContent}`;
    act.querySelector("textarea").focus();
  });

  // --- Enter in a field never decides; a decision is made once.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches?.("form[data-decide] input")) event.preventDefault();
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "1";
    setTimeout(() => { delete form.dataset.sent; }, 4000);
  });

  // --- Keys.
  const KEYS = [
    ["a", "approve"], ["x", "approve and run"], ["r", "reject"], ["c", "request changes"], ["s", "select parts"],
    ["space", "mark the hunk"], ["n p", "next and previous hunk"], ["N P", "next and previous file"], ["v", "viewed"],
    ["j k", "next and previous plan"], ["q", "back to the inbox"], ["?", "these keys"],
  ];
  const ask = (words, yes) => {
    const dialog = document.createElement("dialog");
    const p = document.createElement("p");
    p.textContent = words;
    const y = document.createElement("button"), n = document.createElement("button");
    y.textContent = "Yes (y)"; y.className = "primary"; n.textContent = "No (n)";
    const row = document.createElement("p");
    row.append(y, " ", n);
    dialog.append(p, row);
    document.body.append(dialog);
    const close = () => { dialog.close(); dialog.remove(); };
    y.onclick = () => { close(); yes(); };
    n.onclick = close;
    dialog.onkeydown = (event) => {
      event.stopPropagation();
      if (event.key === "y") { event.preventDefault(); close(); yes(); } else if (event.key === "n") close();
      else if (event.key === "Enter" && event.target === dialog) event.preventDefault();
    };
    dialog.showModal();
    n.focus();
  };
  const help = () => {
    const dialog = document.createElement("dialog");
    const list = document.createElement("dl");
    for (const [key, what] of KEYS) {
      const dt = document.createElement("dt"), dd = document.createElement("dd");
      dt.textContent = key; dd.textContent = what;
      list.append(dt, dd);
    }
    dialog.append(list);
    dialog.onclick = dialog.onkeydown = () => { dialog.close(); dialog.remove(); };
    document.body.append(dialog);
    dialog.showModal();
  };
  const move = (query, back, edge) => {
    const places = all(query).filter((place) => place.offsetParent !== null);
    const at = places.findIndex((place) => place === document.activeElement || place.contains(document.activeElement));
    const to = places[at < 0 ? 0 : Math.min(places.length - 1, Math.max(0, at + (back ? -1 : 1)))];
    if (!to) return;
    const focus = edge ? to.querySelector(edge) ?? to : to;
    focus.focus({ preventScroll: true });
    to.scrollIntoView({ block: "start" });
  };
  const decide = (act, words) => {
    const button = one(`.actions form.inline [data-act="${act}"]`);
    if (button) { ask(words, () => button.form.requestSubmit(button)); return; }
    open("a");
  };
  const open = (key) => {
    const act = one(`.act[data-key="${key}"]`);
    if (!act) return;
    act.open = true;
    act.querySelector("textarea, input:not([type=hidden])")?.focus();
  };
  const acts = {
    a: () => decide("approve", "Approve exactly this plan?"),
    x: () => decide("run", "Approve exactly this plan, and run it?"),
    r: () => open("r"), c: () => open("c"), w: () => open("w"),
    s: () => one("#selecting")?.click(),
    " ": () => {
      const box = document.activeElement?.querySelector?.(":scope .pick input") ?? document.activeElement?.closest(".step")?.querySelector(".pick input");
      box?.click();
    },
    n: () => move(".hunk", false), p: () => move(".hunk", true),
    N: () => move(".step", false, ".hunk"), P: () => move(".step", true, ".hunk"),
    v: () => (document.activeElement?.closest(".step") ?? one(".step"))?.querySelector("[data-viewed]")?.click(),
    j: () => move(".card .title", false), k: () => move(".card .title", true),
    q: () => { location.href = "/"; },
    "?": help,
  };
  // Keys that were typed before the plan was drawn do not count.
  let drawn = false;
  setTimeout(() => { drawn = true; document.documentElement.classList.add("keys"); }, 300);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (event.key === "Escape") { all(".act[open]").forEach((act) => { act.open = false; }); return; }
    const target = event.target;
    if (target.matches?.("input:not([type=checkbox]), textarea, select")) return;
    if (event.key === " " && target.matches?.("button, summary, a, input")) return;
    if (!drawn) return;
    const act = acts[event.key];
    if (act) { event.preventDefault(); act(); }
  });
})();
