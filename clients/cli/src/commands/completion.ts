import { type Command, command, type Entry } from '../command.ts';
import { globalOptions, type Option } from '../options.ts';
import { UsageError } from '../cli-error.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** Returns the command that writes shell completions for these commands. */
export function completionOf(commands: Record<string, Entry>): Command {
  return command({
    usage: shells.join('|'),
    about:
      'Writes a completion: for bash `source <(renderkit completion bash)`, for zsh `source <(renderkit completion zsh)`, for fish `renderkit completion fish | source`, for PowerShell `renderkit completion powershell | Out-String | Invoke-Expression`.',
    options: {},
    run: async (_session, [name]) => {
      const shell = shells.find((one) => one === name);
      if (shell === undefined) throw new UsageError(`Name the shell: ${shells.join(', ')}.`);
      const loaded = Object.entries(commands).map(
        async ([words, { load }]) => [words, await load()] as const,
      );
      const tree = Object.fromEntries(await Promise.all(loaded));
      process.stdout.write({ bash, zsh, fish, powershell }[shell](tree));
    },
  });
}

type Tree = Record<string, Command>;

/** The first words of all commands, without duplicates. */
const firstWords = (tree: Tree) => [...new Set(Object.keys(tree).map((name) => name.split(' ')[0] ?? ''))];

const secondWords = (tree: Tree, first: string) =>
  Object.keys(tree).flatMap((name) => (name.startsWith(`${first} `) ? [name.split(' ')[1] ?? ''] : []));

const flagsOf = (one: Command) =>
  [...Object.keys(one.options), ...Object.keys(globalOptions)].map((name) => `--${name}`).join(' ');

/** The choices for a command's argument, as its usage lists them: `openai|openwebui|…`. */
const choicesOf = ({ usage }: Command) => (/^[\w-]+(?:\|[\w-]+)+$/.test(usage) ? usage.split('|') : []);

/**
 * Returns, for each flag with a value, the choices for the value. The set is empty where any text is allowed. When
 * several commands use the same flag, their choices are combined.
 */
function valuesByFlag(tree: Tree): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const everyOption = [...Object.values(tree).map(({ options }) => options), globalOptions];
  for (const options of everyOption)
    for (const [name, { short, form, choices = [] }] of Object.entries<Option>(options))
      // The fields of --json are in the same word as the flag.
      if (form !== undefined && name !== 'json')
        for (const flag of [`--${name}`, ...(short === undefined ? [] : [`-${short}`])])
          found.set(flag, new Set([...(found.get(flag) ?? []), ...choices]));
  return found;
}

function cases(tree: Tree): string {
  const groups = firstWords(tree).filter((first) => secondWords(tree, first).length > 0);
  return [
    ...Object.entries(tree).map(
      ([name, one]) => `    '${name}') offered='${[...choicesOf(one), flagsOf(one)].join(' ')}' ;;`,
    ),
    ...groups.map((first) => `    '${first}') offered='${secondWords(tree, first).join(' ')}' ;;`),
  ].join('\n');
}

function valueCases(tree: Tree): string {
  return [...valuesByFlag(tree)]
    .map(([flag, choices]) => `    ${flag}) offered='${[...choices].join(' ')}' ;;`)
    .join('\n');
}

function bash(tree: Tree): string {
  return `_renderkit() {
  local current="\${COMP_WORDS[COMP_CWORD]}" offered='${firstWords(tree).join(' ')}' place="\${COMP_WORDS[1]} \${COMP_WORDS[2]}"
  if [ "$COMP_CWORD" -gt 1 ]; then
    offered=''
    case "\${COMP_WORDS[1]}" in
${cases(tree)}
    esac
    if [ "$COMP_CWORD" -gt 2 ]; then
    case "$place" in
${cases(tree)}
    esac
    fi
  fi
  case "\${COMP_WORDS[COMP_CWORD - 1]}" in
${valueCases(tree)}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _renderkit renderkit
`;
}

/**
 * Works with `source` and as a file of $fpath. As a file of $fpath, the first use also completes. When sourced, it
 * registers at once and again before the first prompt, because a later `compinit` in .zshrc forgets earlier
 * registrations. Runs `compinit` itself only when .zshrc did not.
 */
function zsh(tree: Tree): string {
  return `#compdef renderkit
_renderkit() {
  local offered='${firstWords(tree).join(' ')}' place="\${words[2]} \${words[3]}"
  if (( CURRENT > 2 )); then
    offered=''
    case "\${words[2]}" in
${cases(tree)}
    esac
    if (( CURRENT > 3 )); then
    case "$place" in
${cases(tree)}
    esac
    fi
  fi
  case "\${words[CURRENT - 1]}" in
${valueCases(tree)}
  esac
  local -a list=(\${=offered})
  compadd -a list && return
  compset -P @
  _files
}
_renderkit_register() {
  add-zsh-hook -d precmd _renderkit_register
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _renderkit renderkit
}
if [ "\${funcstack[1]}" = _renderkit ]; then
  _renderkit
else
  (( ! $+functions[compdef] )) || compdef _renderkit renderkit
  autoload -Uz add-zsh-hook && add-zsh-hook precmd _renderkit_register
fi
`;
}

function fish(tree: Tree): string {
  const quoted = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`;
  const lines = [
    `complete -c renderkit -n __fish_use_subcommand -f -a ${quoted(firstWords(tree).join(' '))}`,
  ];
  for (const first of firstWords(tree)) {
    const seconds = secondWords(tree, first);
    const seen = `__fish_seen_subcommand_from ${first}`;
    if (seconds.length > 0)
      lines.push(
        `complete -c renderkit -n ${quoted(`${seen}; and not __fish_seen_subcommand_from ${seconds.join(' ')}`)} -f -a ${quoted(seconds.join(' '))}`,
      );
  }
  for (const [name, one] of Object.entries(tree)) {
    const seen = name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ');
    const choices = choicesOf(one);
    if (choices.length > 0)
      lines.push(`complete -c renderkit -n ${quoted(seen)} -f -a ${quoted(choices.join(' '))}`);
    for (const [option, of] of Object.entries<Option>({ ...one.options, ...globalOptions }))
      lines.push(
        `complete -c renderkit -n ${quoted(seen)} -l ${option}${fishValue(of)} -d ${quoted(of.about)}`,
      );
  }
  return `${lines.join('\n')}\n`;
}

/** Returns the fish arguments of an option: its letter, whether it has a value, and the choices for the value. */
function fishValue({ short, form, choices }: Option): string {
  const letter = short === undefined ? '' : ` -s ${short}`;
  if (choices !== undefined) return `${letter} -x -a '${choices.join(' ')}'`;
  return form === undefined ? letter : `${letter} -r`;
}

/** Maps the typed words to the next words: `'gen' = 'list wait …'`. */
function powershell(tree: Tree): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const groups = firstWords(tree).filter((first) => secondWords(tree, first).length > 0);
  const rows = [
    ['', firstWords(tree).join(' ')],
    ...groups.map((first) => [first, secondWords(tree, first).join(' ')]),
    ...Object.entries(tree).map(([name, one]) => [`${name} `, [...choicesOf(one), flagsOf(one)].join(' ')]),
  ];
  return `Register-ArgumentCompleter -Native -CommandName renderkit -ScriptBlock {
  param($word, $ast, $cursor)
  $words = @{
${rows.map(([before = '', words = '']) => `    ${quoted(before)} = ${quoted(words)}`).join('\n')}
  }
  $given = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() } | Where-Object { $_ -ne $word -and -not $_.StartsWith('-') })
  $first = "$($given | Select-Object -First 1)"
  $both = "$($given | Select-Object -First 2)"
  $found = $words["$both "], $words["$first "], $words[$first] | Where-Object { $_ } | Select-Object -First 1
  if ($given.Count -eq 1 -and $words[$first] -and -not $word.StartsWith('-')) { $found = $words[$first] }
  $found -split ' ' | Where-Object { $_ -like "$word*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`;
}
