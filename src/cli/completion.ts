/**
 * Completion for bash, zsh and fish, written out from the tree of commands itself: what `--help` shows can be completed.
 *
 * How      a script walks the words that stand there down the tree, then offers what may follow: commands, options, and the
 *          values of arguments that have few. Anything else is left to the shell: files
 * Own      the libraries for it start the program at each Tab; these scripts ask nobody
 */
import type { Argument, Command, Option } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** Values of arguments, by the argument's name. */
const categories = ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES']
const values: Readonly<Record<string, readonly string[]>> = {
  category: categories,
  productType: categories.slice(2),
  wallet: ['spot', 'p2p', 'usdt_futures', 'coin_futures', 'usdc_futures', 'crossed_margin', 'uta'],
  side: ['buy', 'sell'],
  status: ['online', 'cancel_only', 'halted'],
  scenario: ['calm', 'trend', 'crash', 'squeeze', 'stale-index', 'adl', 'none'],
  shell: shells,
}

interface Place {
  /** The commands that lead here, each behind a blank: ` accounts list`. */
  readonly path: string
  /** Words that may follow, with what they mean. */
  readonly words: readonly (readonly [word: string, meaning: string])[]
  readonly options: readonly (readonly [flag: string, meaning: string, takesValue: boolean])[]
}

export function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, '')
  const name = program.name()
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](name, places)
}

function placesOf(command: Command, path: string): Place[] {
  const argumentValues = command.registeredArguments.flatMap((argument: Argument) => values[argument.name()] ?? [])
  const here: Place = {
    path,
    words: [
      ...command.commands.map((subcommand) => [subcommand.name(), subcommand.description()] as const),
      ...argumentValues.map((value) => [value, ''] as const),
    ],
    options: [
      ...command.options.map((option: Option) => [option.long ?? '', option.description, option.required] as const),
      ['--help', 'what it takes', false] as const,
    ],
  }
  return [here, ...command.commands.flatMap((subcommand) => placesOf(subcommand, `${path} ${subcommand.name()}`))]
}

function patterns(places: readonly Place[]): string {
  return places
    .slice(1)
    .map(({ path }) => quoted(path))
    .join(' | ')
}

function bashScript(name: string, places: readonly Place[]): string {
  const cases = places.map(({ path, words, options }) => {
    const both = [words.map(([word]) => word).join(' '), options.map(([flag]) => flag).join(' ')]
    return `    ${quoted(path)}) words=${quoted(both[0])} options=${quoted(both[1])} ;;`
  })
  return `# ${name} completion for bash: source <(${name} completion bash)
_${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} at= word words= options=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${patterns(places)}) at="$at $word" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  if [[ $current == -* ]]; then words=$options; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name} ${name}
`
}

function zshScript(name: string, places: readonly Place[]): string {
  const cases = places.map(({ path, words, options }) => {
    const entry = ([word, meaning]: readonly [string, string, boolean?]) =>
      quoted(meaning === '' ? word : `${word}:${meaning}`)
    return `    ${quoted(path)}) found=(${words.map(entry).join(' ')}) flags=(${options.map(entry).join(' ')}) ;;`
  })
  return `#compdef ${name}
# ${name} completion for zsh: source <(${name} completion zsh)
_${name}() {
  local at= word
  local -a found flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${patterns(places)}) at="$at $word" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe option flags; else _describe command found || _files; fi
}
compdef _${name} ${name}
`
}

function fishScript(name: string, places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words, options }) => {
    const start = `complete -c ${name} -n ${quoted(`__${name}_at ${quoted(path).replaceAll("'", '"')}`)}`
    return [
      ...words.map(([word, meaning]) => `${start} -f -a ${quoted(word)} -d ${quoted(meaning)}`),
      ...options.map(([flag, meaning, takesValue]) => {
        return `${start} -l ${flag.slice(2)}${takesValue ? ' -r' : ''} -d ${quoted(meaning)}`
      }),
    ]
  })
  return `# ${name} completion for fish: ${name} completion fish | source
function __${name}_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${places
        .slice(1)
        .map(({ path }) => quoted(path))
        .join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`
}

/** As one word, in every shell: descriptions lose what would end it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’').replaceAll('\\', '/')}'`
}
