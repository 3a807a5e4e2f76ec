// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the words are shell
import fc from "fast-check";

/** Texts that run a command wherever bash evaluates them. */
const texts = "x='a[$(p0)]'; y='-v a[$(p1)]'; z='($(p2))'; u='$(p0)'; arr=(1 2); n=1; ";

const builtins =
  "alias break builtin caller cd command compgen complete continue declare dirs echo enable eval export fc getopts hash help history jobs let local mapfile popd printf pushd read readarray readonly return set shift shopt trap type typeset ulimit umask unset wait test [ [[ (( : source .";
const words =
  '$x "$x" $y "$y" $z "$z" $u "$u" \'a[$(p0)]\' \'a[$(p0)]=1\' \'($(p2))\' -a -A -i -n -v -p -r -t -x -f -g -u -c -e -o -C -F -W -R -- - + 1 $n n v v=1 v=$z v="$z" v+=$z v[x]=2 v[n]=2 arr arr=$z arr="$z" arr[x] \'arr[$(p0)]\' = -eq -gt -z ! ( ) ] ]] )) && || %s EXIT DEBUG <<<$x IFS=[ <(:) {v}>f $((n)) $((x)) ${x} ${#x} ${!x} ${u@P} ${x:n} ${x:x} ${arr[n]} ${arr[x]} ${arr[@]}';

/** Builtins with random words, including variables that contain such texts. */
export const builtinsOnTexts: fc.Arbitrary<string> = fc
  .array(
    fc.tuple(
      fc.constantFrom(...builtins.split(" ")),
      fc.array(fc.constantFrom(...words.split(" ")), { maxLength: 4 }),
      fc.constantFrom("; ", "\n", " && ", " || "),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((list) => `${texts}${list.map(([name, rest, sign]) => [name, ...rest].join(" ") + sign).join("")}:`);
