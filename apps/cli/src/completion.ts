import type { Command } from 'commander';

function wordsOf(command: Command): string[] {
  return [
    ...command.commands.map((each) => each.name()),
    ...command.options.flatMap(({ long }) => (long ? [long] : [])),
    ...(command.registeredArguments[0]?.argChoices ?? []),
  ];
}

function pathsOf(command: Command, path = ''): { readonly path: string; readonly words: string[] }[] {
  const own = { path, words: wordsOf(command) };
  return [own, ...command.commands.flatMap((each) => pathsOf(each, `${path} ${each.name()}`.trim()))];
}

export const shells = ['bash', 'zsh', 'fish'] as const;

export function completionScript(program: Command, shell: (typeof shells)[number]): string {
  const paths = pathsOf(program);
  if (shell === 'fish') {
    return paths
      .map(({ path, words }) => {
        const seen = path === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${path.split(' ').at(-1)}`;
        return `complete -c tidings -f -n '${seen}' -a '${words.join(' ')}'`;
      })
      .join('\n');
  }
  const cases = paths.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`).join('\n');
  const bash = `_tidings() {
  local path='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " ${paths.map(({ path }) => path.replaceAll(' ', '/')).join(' ')} " in
      *" \${path:+\${path// //}/}$word "*) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tidings tidings`;
  return shell === 'bash' ? bash : `autoload -U +X bashcompinit && bashcompinit\n${bash}`;
}
