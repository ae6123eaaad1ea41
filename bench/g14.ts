import { registerAudience, sendToAll } from './lib/campaign.ts';
import { commandCounter } from './lib/commands.ts';
import { type Figure, overRounds } from './lib/figure.ts';
import { untilSteady } from './lib/rounds.ts';
import { figureOfWorlds } from './lib/world.ts';

const DEVICES = Number(process.env['G14_DEVICES'] ?? 50_000);

export const measure = (): Promise<Figure> =>
  figureOfWorlds(
    { id: 'G14', title: `MongoDB commands per 1,000 devices of a broadcast to ${DEVICES}`, modes: ['embedded'] },
    async (world) => {
      const commands = await commandCounter(world.dataFolder);
      try {
        await registerAudience(world, DEVICES);
        await sendToAll(world, DEVICES);
        const rounds = await untilSteady(
          async () => {
            const before = await commands.total();
            let after = before;
            await sendToAll(world, DEVICES, async () => (after = await commands.total()));
            return ((after - before) * 1_000) / DEVICES;
          },
          (perThousand) => perThousand,
        );
        return [
          { title: '', ...overRounds(rounds), unit: 'commands', floor: { most: 30 }, goal: { most: 8 }, details: {} },
        ];
      } finally {
        await commands.close();
      }
    },
  );
