/**
 * Completion for a shell, written from the commands themselves. Each script walks the words before the cursor to find
 * the command they name, and offers its commands and options; where there is nothing to offer, the shell offers files.
 */
import type { CommandTree } from './list-command-tree.ts';

export const completionShells = ['bash', 'zsh', 'fish'] as const;
export type CompletionShell = (typeof completionShells)[number];

export function writeCompletion(shell: CompletionShell, tree: readonly CommandTree[]): string {
  return { bash: writeBash, zsh: writeZsh, fish: writeFish }[shell](tree);
}

/** The paths that a word can lead to. */
function steps(tree: readonly CommandTree[]): readonly string[] {
  return tree.map(({ path }) => path).filter((path) => path.includes(' '));
}

function writeBash(tree: readonly CommandTree[]): string {
  const cases = tree.map(({ path, words }) => `    "${path}") offers="${words.map(({ word }) => word).join(' ')}" ;;`);
  return `# kannuki completion for bash: put this in ~/.bashrc
#   source <(kannuki completion bash)
_kannuki() {
  local at=kannuki offers= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    [ "\${COMP_WORDS[i]}" = "--" ] && return
    case "$at \${COMP_WORDS[i]}" in
      ${steps(tree)
        .map((path) => `"${path}"`)
        .join('|')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offers" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _kannuki kannuki`;
}

function writeZsh(tree: readonly CommandTree[]): string {
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const cases = tree.map(({ path, words }) => {
    const offers = words.map(({ word, about }) => quote(`${word}:${about}`));
    return `    ${quote(path)}) offers=(${offers.join(' ')}) ;;`;
  });
  return `#compdef kannuki
# kannuki completion for zsh: put this in ~/.zshrc, after compinit
#   source <(kannuki completion zsh)
_kannuki() {
  local at=kannuki word
  local -a offers
  for word in \${words[2,CURRENT-1]}; do
    [[ $word == -- ]] && { _files; return }
    case "$at $word" in
      ${steps(tree)
        .map((path) => quote(path))
        .join('|')}) at="$at $word" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  _describe -t commands kannuki offers || _files
}
compdef _kannuki kannuki`;
}

function writeFish(tree: readonly CommandTree[]): string {
  const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = tree.flatMap(({ path, words }) =>
    words.map(({ word, about, isCommand }) => {
      const what = isCommand ? `-f -a ${word}` : `-l ${word.replace(/^--/, '')}`;
      return `complete -c kannuki -n "test (__kannuki_at) = '${path}'" ${what} -d ${quote(about)}`;
    }),
  );
  return `# kannuki completion for fish: put this in ~/.config/fish/config.fish
#   kannuki completion fish | source
function __kannuki_at
  set -l at kannuki
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${steps(tree)
        .map((path) => quote(path))
        .join(' ')}
        set at "$at $word"
    end
  end
  echo $at
end
${lines.join('\n')}`;
}
