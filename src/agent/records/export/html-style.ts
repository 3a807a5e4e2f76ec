/** Of an exported session. Contrasts are at least 4.5 : 1 in light and in dark. */
export const style = `
:root { color-scheme: light dark; --text: #1b1b1b; --page: #ffffff; --soft: #f3f4f6; --line: #c6cad1; --dim: #555b66;
  --add: #0b5a1e; --add-page: #e2f5e6; --remove: #8f1414; --remove-page: #fbe7e7; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e6e6; --page: #16181c; --soft: #202329; --line: #434956; --dim: #a6adba;
    --add: #8fdca0; --add-page: #12301b; --remove: #f3a5a5; --remove-page: #3a1717; }
}
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; border-bottom: 1px solid var(--line); margin-top: 2rem; }
h3, h4 { font-size: 0.9rem; margin: 0.2rem 0; display: inline-block; }
h4 { display: block; }
small, em, .note, dt { color: var(--dim); font-style: normal; font-weight: normal; font-size: 0.85rem; }
dl { margin: 0.5rem 0; }
dl div { margin: 0.2rem 0; }
dt { display: inline; margin-right: 0.5rem; }
dd { display: inline; margin: 0; overflow-wrap: anywhere; }
article, details { border: 1px solid var(--line); border-radius: 0.4rem; margin: 0.6rem 0; padding: 0.4rem 0.8rem; }
article.user, article.notice { background: var(--soft); }
details.failed > summary em { color: var(--remove); }
summary { cursor: pointer; overflow-wrap: anywhere; }
summary:focus-visible { outline: 2px solid currentColor; }
.words { white-space: pre-wrap; overflow-wrap: anywhere; }
pre, code { font-family: ui-monospace, monospace; font-size: 0.85rem; }
pre { background: var(--soft); margin: 0.3rem 0; padding: 0.5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
ins, del { text-decoration: none; }
ins { color: var(--add); background: var(--add-page); }
del { color: var(--remove); background: var(--remove-page); }
img { max-width: 100%; }
@media print { details { break-inside: avoid; } }
`;
