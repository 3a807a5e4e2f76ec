import { allForms, type Damage, damagedClass, patchForms, rewriting, type TaskClass } from "../draft.ts";

/** Wrappings that models add around a text. */
export const fenced: Damage = rewriting((text, role, random) => {
  const fence = random.pick(["```", "```", "```", "~~~", "````"]);
  const language = random.pick(
    role === "patch" ? ["diff", "patch", "", "text"] : ["ts", "python", "", "c", "json"],
  );
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}${role === "patch" ? "\n" : ""}`;
});

const tags = ["EOF", "PATCH", "END_OF_PATCH", "EOT", "__PATCH__", "DIFF"];

export const heredoc: Damage = (draft, random) => {
  const commands =
    draft.form === "v4a"
      ? ["apply_patch ", "", "applypatch "]
      : ["git apply ", "patch -p1 ", "", "git apply - "];
  return rewriting((text, _, seeded) => {
    const tag = seeded.pick(tags);
    const quoted = seeded.pick([`'${tag}'`, `"${tag}"`, tag]);
    const command = seeded.pick(commands);
    const line =
      seeded.fraction() < 0.25 ? `cat <<${quoted} | ${command || "apply_patch"}` : `${command}<<${quoted}`;
    return `${line.trim()}\n${text}${tag}\n`;
  })(draft, random);
};

const openings = [
  "Here is the patch:",
  "I'll update the file as follows.",
  "Sure! The following change does that:",
  "This fixes the issue you described:",
];
const closings = [
  "This keeps the behaviour the same everywhere else.",
  "Let me know if you'd like me to add tests.",
  "Done.",
];

const proseBefore: Damage = rewriting((text, _, random) => `${random.pick(openings)}\n\n${text}`);
const proseAfter: Damage = rewriting((text, _, random) => `${text}\n${random.pick(closings)}\n`);

export const wrapperClasses: readonly TaskClass[] = [
  damagedClass({ kind: "code fence", forms: allForms, damage: [fenced] }),
  damagedClass({ kind: "heredoc", forms: patchForms, damage: [heredoc] }),
  damagedClass({ kind: "prose before", forms: patchForms, damage: [proseBefore] }),
  damagedClass({ kind: "prose after", forms: patchForms, damage: [proseAfter] }),
  damagedClass({
    kind: "prose around a code fence",
    forms: patchForms,
    damage: [fenced, proseBefore, proseAfter],
  }),
];
