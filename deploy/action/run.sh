#!/usr/bin/env bash
# Does what action.yml asks for. All inputs are variables.
set -uo pipefail

fail() {
  echo "::error title=Toolcrib::$1"
  exit 2
}

[ -n "${TASK:-}" ] || [ -n "${FLEET:-}" ] || fail "Give a task or a fleet, such as: task: Fix the failing test"
[ -z "${TASK:-}" ] || [ -z "${FLEET:-}" ] || fail "Give a task or a fleet, not both."
[[ "${BUDGET:-1}" =~ ^[0-9]+(\.[0-9]+)?$ ]] || fail "budget must be a number of dollars, such as: budget: 2.50"
[[ "${VERSION:-latest}" =~ ^[A-Za-z0-9.-]+$ ]] || fail "version must be a version of Toolcrib, such as: version: 0.1.0"
cd "${FOLDER:-.}" || fail "The folder does not exist: ${FOLDER}"

report="$RUNNER_TEMP/toolcrib-report"
export TOOLCRIB_HOME="$RUNNER_TEMP/toolcrib"
mkdir -p "$report"
echo "report=$report" >> "$GITHUB_OUTPUT"

program=${TOOLCRIB_PROGRAM:-}
if [ -z "$program" ]; then
  # In the folder of the repository, npm would use its packages, and the registry that its .npmrc names.
  installed="$RUNNER_TEMP/toolcrib-program"
  mkdir -p "$installed" && echo '{ "private": true }' > "$installed/package.json"
  (cd "$installed" && npm install --ignore-scripts --no-audit --no-fund "toolcrib@${VERSION:-latest}" >&2) ||
    fail "Toolcrib ${VERSION:-latest} could not be installed."
  program="$installed/node_modules/.bin/toolcrib"
fi

options=(--mode "${MODE:-cautious}")
while IFS= read -r rule; do
  [ -z "$rule" ] || options+=(--rule "$rule")
done <<< "${RULES:-}"

[ "${ALLOW_UNPRICED:-false}" != true ] || options+=(--allow-unpriced)

if [ -n "${TASK:-}" ]; then
  [ -z "${MODEL:-}" ] || options+=(--model "$MODEL")
  "$program" run --no-input --json --max-cost "${BUDGET:-1}" "${options[@]}" - <<< "$TASK" > "$report/answer.json"
  code=$?
  outcome=$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).outcome' "$report/answer.json" 2> /dev/null)
  echo "outcome=${outcome:-failed}" >> "$GITHUB_OUTPUT"
else
  "$program" fleet submit "$FLEET" --json --artifacts "$report/fleet" "${options[@]}" > "$report/fleet.json"
  code=$?
  echo "outcome=fleet" >> "$GITHUB_OUTPUT"
fi

"$program" log --json > "$report/journal.json" || true
git add --intent-to-add . 2> /dev/null
git diff --binary --no-ext-diff --no-textconv > "$report/changes.patch" 2> /dev/null
{
  echo "### Toolcrib"
  echo "Exit code $code. The answer, the changes and the journal are in the artifact toolcrib-report."
  [ ! -s "$report/changes.patch" ] || git diff --stat | sed 's/^/    /'
} >> "$GITHUB_STEP_SUMMARY"
exit "$code"
