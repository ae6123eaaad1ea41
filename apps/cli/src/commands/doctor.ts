import type { Checked } from '../doctor/finding.ts';
import type { AddCommands } from './command.ts';

function signOf({ findings, skipped }: Checked): string {
  if (findings.some(({ severity }) => severity === 'problem')) return '✗';
  if (findings.length > 0) return '!';
  return skipped ? '–' : '✓';
}

const shown = (checked: Checked): string =>
  [
    `${signOf(checked)} ${checked.check}${checked.skipped ? ` (not checked: ${checked.skipped})` : ''}`,
    ...checked.findings.flatMap(({ severity, text, remedy }) => [`    ${severity}: ${text}`, `    remedy: ${remedy}`]),
  ].join('\n');

export const addDoctor: AddCommands = (program, withSession) => {
  program
    .command('doctor')
    .description(
      'find what is wrong with a deployment, and what to do about it; with the environment of a service, its stores are checked as well. Ends with 1 if there is a problem',
    )
    .action(
      withSession(async ({ client, options, print }) => {
        // Loaded here: other commands need neither MongoDB nor Kafka.
        const { examine } = await import('../doctor/examine.ts');
        const hasAdminToken = options.adminToken !== undefined;
        const checked = await examine({ client, url: options.url, hasAdminToken, env: process.env });
        print(checked, checked.map(shown).join('\n'));
        if (checked.some(({ findings }) => findings.some(({ severity }) => severity === 'problem')))
          process.exitCode = 1;
      }),
    );
};
