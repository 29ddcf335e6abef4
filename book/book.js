// The page works without this: it adds the theme button and copy buttons.
'use strict';
const stored = (() => {
  try { return localStorage.getItem('theme'); } catch { return null; }
})();
if (stored) document.documentElement.dataset.theme = stored;

function copyText(text) {
  if (navigator.clipboard && window.isSecureContext) {
    return navigator.clipboard.writeText(text);
  }
  const area = document.createElement('textarea');  // file:// in some browsers
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
  return Promise.resolve();
}

document.addEventListener('DOMContentLoaded', () => {
  const root = document.documentElement;
  document.getElementById('theme').addEventListener('click', () => {
    const dark = root.dataset.theme === 'dark' || (!root.dataset.theme &&
        matchMedia('(prefers-color-scheme: dark)').matches);
    root.dataset.theme = dark ? 'light' : 'dark';
    try { localStorage.setItem('theme', root.dataset.theme); } catch {}
  });
  for (const pre of document.querySelectorAll('pre')) {
    const button = document.createElement('button');
    button.className = 'copy';
    button.textContent = 'copy';
    button.addEventListener('click', () => {
      copyText(pre.textContent).then(() => {
        button.textContent = 'copied';
        setTimeout(() => { button.textContent = 'copy'; }, 1500);
      });
    });
    const box = document.createElement('div');
    box.style.position = 'relative';
    pre.replaceWith(box);
    box.append(pre, button);
  }
  // A link into folded code opens it.
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    for (let e = target; e; e = e.parentElement) {
      if (e.tagName === 'DETAILS') e.open = true;
    }
    if (target) target.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  if (location.hash) reveal();
});
