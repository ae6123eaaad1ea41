import { readEnv } from '@tidings/runtime';
import { showProgress } from '../progress.ts';
import type { Session } from '../session.ts';
import type { Manifest } from '../data/archive.ts';
import type { AddCommands } from './command.ts';

export const addData: AddCommands = (program, withSession) => {
  program
    .command('export-data <folder>')
    .description(
      'write the data of an embedded deployment that is stopped into a new folder; the master key is not part of it',
    )
    .action(
      withSession(async (session, folder: string) => {
        const { exportData } = await import('../data/export-data.ts');
        await shown(session, 'exported', (progress) => exportData(readEnv(), folder, progress));
      }),
    );
  program
    .command('import-data <folder>')
    .description('fill an empty deployment, embedded or distributed, with an export')
    .action(
      withSession(async (session, folder: string) => {
        const { importData } = await import('../data/import-data.ts');
        await shown(session, 'imported', (progress) => importData(readEnv(), folder, progress));
      }),
    );
};

async function shown(
  { options, print }: Session,
  verb: 'exported' | 'imported',
  work: (progress: ReturnType<typeof showProgress>) => Promise<Manifest>,
): Promise<void> {
  const progress = showProgress(verb, options.json === true);
  try {
    const { files } = await work(progress);
    progress.stop();
    const countIn = (folder: string): number =>
      Object.entries(files).reduce((sum, [file, each]) => sum + (file.startsWith(folder) ? each.documents : 0), 0);
    const [documents, records] = [countIn('databases/'), countIn('topics/')];
    print({ documents, records }, `${documents} documents and ${records} records ${verb}`);
  } finally {
    progress.stop();
  }
}
