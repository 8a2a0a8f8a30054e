/** The shell: one view at a time, chosen by the address; light, dark or as the system says. */
import { html, render } from "lit-html";
import { documentView } from "./views/document";
import { gateView } from "./views/gate";
import { replyView } from "./views/reply";
import { sessionView } from "./views/session";
import { transcriptView } from "./views/transcript";

export interface View {
  readonly title: string;
  readonly element: HTMLElement;
}

const VIEWS: Record<string, { label: string; create: () => View }> = {
  reply: { label: "Reply", create: replyView },
  session: { label: "Session", create: sessionView },
  gate: { label: "Gate", create: gateView },
  transcript: { label: "Transcript", create: transcriptView },
  document: { label: "Document", create: documentView },
};

const created = new Map<string, View>();
const main = document.querySelector<HTMLElement>("main")!;
const nav = document.querySelector<HTMLElement>("nav")!;

function show(): void {
  const asked = location.hash.slice(1);
  const name = asked in VIEWS ? asked : "reply";
  const view = created.get(name) ?? VIEWS[name]!.create();
  created.set(name, view);
  main.replaceChildren(view.element);
  document.title = `${view.title} · agent-evidence`;
  const link = ([id, { label }]: [string, { label: string }]) =>
    html`<li><a href="#${id}" aria-current=${id === name ? "page" : "false"}>${label}</a></li>`;
  render(html`<ul>${Object.entries(VIEWS).map(link)}</ul>`, nav);
}

const THEMES = ["auto", "light", "dark"] as const;
const themeButton = document.querySelector<HTMLButtonElement>("#theme")!;
let theme = THEMES.find((each) => each === localStorage.getItem("theme")) ?? "auto";

function applyTheme(): void {
  document.documentElement.dataset["theme"] = theme;
  themeButton.textContent = `Theme: ${theme}`;
}

themeButton.addEventListener("click", () => {
  theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  localStorage.setItem("theme", theme);
  applyTheme();
});

document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", show);
applyTheme();
show();

// Without a network the page comes from what the browser kept.
if (import.meta.env.PROD && "serviceWorker" in navigator) navigator.serviceWorker.register("offline.js").catch(() => undefined);
