import { startProgram } from './processes.ts';
import { startStore } from './run-with-store.ts';
import { type Sender, senderAt } from './sender.ts';
import type { Providers } from './world.ts';

/** `bench/programs/pipeline.ts` with a MongoDB of its own. */
export async function startPipeline(
  { apnsUrl }: Pick<Providers, 'apnsUrl'>,
  devices: number,
): Promise<Sender & { stop(): Promise<void> }> {
  const mongod = await startStore();
  const program = await startProgram<{ url: string }>('bench/programs/pipeline.ts', [mongod.url, apnsUrl]);
  const processes = [
    { name: 'program', pid: program.pid },
    { name: 'mongod', pid: mongod.pid },
  ];
  return {
    ...(await senderAt(program.ready.url, processes, devices)),
    async stop() {
      await program.stop();
      await mongod.stop();
    },
  };
}
