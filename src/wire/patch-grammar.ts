/** The patches of `edit.patch`, for models that are held to a grammar while they write; in the language of lark. */
export const patchGrammar = `start: begin file+ end
begin: "*** Begin Patch" LF
end: "*** End Patch" LF?
file: add | delete | update
add: "*** Add File: " path LF added*
delete: "*** Delete File: " path LF
update: "*** Update File: " path LF (move change? | change)
move: "*** Move to: " path LF
change: lines hunk* | hunk+
hunk: place+ lines
lines: (context | removed | added)+ last?
place: "@@" LF | "@@ " /.+/ LF
context: " " /.*/ LF | LF
removed: "-" /.*/ LF
added: "+" /.*/ LF
last: "*** End of File" LF
path: /.+/
LF: /\\n/
`;
