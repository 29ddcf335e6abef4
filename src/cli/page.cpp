#include "src/cli/page.h"

namespace sextant::cli {

const char* const kPage = R"html(<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sextant: six texts of one program</title>
<style>
:root {
  color-scheme: light dark;
  --ink: #1c1c1c; --paper: #fdfdfb; --faint: #6b6b6b; --rule: #d5d5d0;
  --mark: 214 160 0; --here: #e9eef8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4e4e0; --paper: #17181a; --faint: #9a9a96; --rule: #3a3b3e;
    --mark: 214 170 40; --here: #26303f;
  }
}
* { box-sizing: border-box }
html, body { height: 100%; margin: 0 }
body {
  display: flex; flex-direction: column;
  color: var(--ink); background: var(--paper);
  font: 15px/1.4 system-ui, sans-serif;
}
header, footer { padding: .4rem .8rem; border: 0 solid var(--rule) }
header { border-bottom-width: 1px; display: flex; gap: 1rem; flex-wrap: wrap }
header h1 { font-size: 1rem; margin: 0 }
footer { border-top-width: 1px; min-height: 4.2em }
small, kbd { color: var(--faint) }
main { flex: 1; display: flex; min-height: 0 }
section { flex: 1; display: flex; flex-direction: column; min-width: 0 }
section + section { border-left: 1px solid var(--rule) }
nav { display: flex; flex-wrap: wrap; padding: .3rem .8rem; gap: .3rem }
nav button {
  font: inherit; color: inherit; background: none; cursor: pointer;
  border: 1px solid transparent; border-radius: 4px; padding: 0 .5rem;
}
nav button[aria-pressed=true] { border-color: var(--ink) }
ol {
  flex: 1; overflow: auto; margin: 0; padding: .3rem 0 2rem; list-style: none;
  font: 13px/1.45 ui-monospace, Menlo, Consolas, monospace;
  outline-offset: -2px;
}
li { white-space: pre; padding: 0 .8rem; min-height: 1.45em; cursor: default }
li.here { background: var(--here); box-shadow: inset 3px 0 var(--ink) }
li.mark { background: rgb(var(--mark) / var(--much)) }
@media (max-width: 900px) {
  main { flex-direction: column }
  section + section { border-left: 0; border-top: 1px solid var(--rule) }
}
</style>
<header>
  <h1>Six texts of one program</h1>
  <small>Point at a line, or move with <kbd>&uarr; &darr;</kbd>; other side:
  <kbd>Tab</kbd>; other stage: <kbd>&larr; &rarr;</kbd></small>
</header>
<main></main>
<footer aria-live="polite"></footer>
<script type="application/json" id="data">DATA</script>
<script>
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const main = document.querySelector('main');
const foot = document.querySelector('footer');
const make = (tag, parent) => parent.appendChild(document.createElement(tag));
const last = data.stages.length - 1;
// Two sides; each shows one stage. `here` is the line that is pointed at.
const sides = [0, 1].map(i => ({stage: Math.min(i, last), rows: []}));
let here = null;

function share(a, b) {  // how much two lines have in common, 0 to 1
  const both = a.filter(x => b.includes(x)).length;
  return both / (a.length + b.length - both || 1);
}

function sourcesOf(place) {
  return data.stages[place.stage].from[place.line] || [];
}

// What is computed again comes from what it repeats.
function fromOf(place) {
  return [...new Set(sourcesOf(place).map(i => {
    const again = data.sources[i].again;
    return again < 0 ? i : again;
  }))];
}

// Colours what shares a source with the line that is pointed at.
function mark() {
  const from = here ? fromOf(here) : [];
  for (const side of sides) {
    side.rows.forEach((row, line) => {
      const much = share(from, fromOf({stage: side.stage, line}));
      row.classList.toggle('mark', much > 0);
      row.style.setProperty('--much', .12 + .4 * much);
      row.classList.toggle('here', here !== null && here.line === line &&
                           here.stage === side.stage);
    });
  }
  foot.textContent = '';
  if (!here) return;
  make('div', foot).textContent = data.stages[here.stage].title + ', line ' +
      (here.line + 1) + (from.length ? ' comes from' : ' comes from nothing ' +
      'in the program: it was made on the way');
  make('div', foot).textContent = sourcesOf(here).map(i => {
    const s = data.sources[i];
    const value = s.op && s.value ? ' (' + s.value + ')' : '';
    const name = (s.op || s.value || s.text) + value;
    const at = s.line ? ' at ' + s.file + ':' + s.line + ':' + s.column : '';
    const again = s.again < 0 ? '' : ', computed again';
    return name + (s.module ? ' in ' + s.module : '') + at + again;
  }).join(' \u00b7 ');
}

function point(side, line, move) {
  here = {stage: side.stage, line};
  mark();
  // The other side shows the first of the lines that share the most.
  const from = fromOf(here), other = sides[1 - sides.indexOf(side)];
  let best = -1, most = 0;
  other.rows.forEach((row, i) => {
    const much = share(from, fromOf({stage: other.stage, line: i}));
    if (much > most) { most = much; best = i; }
  });
  if (best >= 0) other.rows[best].scrollIntoView({block: 'nearest'});
  if (move) side.rows[line].scrollIntoView({block: 'nearest'});
}

function show(side, stage) {
  side.stage = stage;
  side.list.textContent = '';
  side.list.setAttribute('aria-label', data.stages[stage].title);
  side.rows = data.stages[stage].lines.map((text, line) => {
    const row = make('li', side.list);
    row.textContent = text;
    row.onmouseenter = () => point(side, line, false);
    return row;
  });
  side.buttons.forEach((b, i) => b.setAttribute('aria-pressed', i === stage));
  side.list.scrollTop = 0;
  mark();
}

for (const side of sides) {
  const section = make('section', main), nav = make('nav', section);
  side.buttons = data.stages.map((stage, i) => {
    const button = make('button', nav);
    button.textContent = stage.title;
    button.onclick = () => show(side, i);
    return button;
  });
  side.list = make('ol', section);
  side.list.tabIndex = 0;
  side.list.onkeydown = event => {
    const line = here && here.stage === side.stage ? here.line : -1;
    const step = {ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 20,
                  PageUp: -20}[event.key];
    const turn = {ArrowRight: 1, l: 1, ArrowLeft: -1, h: -1}[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (step) {
      const end = side.rows.length - 1;
      point(side, Math.max(0, Math.min(end, line + step)), true);
    } else if (turn) {
      show(side, Math.max(0, Math.min(last, side.stage + turn)));
    } else {
      return;
    }
    event.preventDefault();
  };
}
sides.forEach(side => show(side, side.stage));
sides[0].list.focus();
</script>
</html>
)html";

}  // namespace sextant::cli
