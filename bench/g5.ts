import { setTimeout as delay } from 'node:timers/promises';
import { type Figure, format, type Measure, median, overRounds, ratio } from './lib/figure.ts';
import { JOB_DEVICES, uploadDevices } from './lib/upload.ts';
import { type BulkDevice, bulkDevice, LEVELS } from './lib/load.ts';
import { inWords, mediansOf, type Parts, total, usedBetween } from './lib/parts.ts';
import { cpuOf, peakResidentMb, startProgram } from './lib/processes.ts';
import { untilSteady } from './lib/rounds.ts';
import { startStore } from './lib/run-with-store.ts';
import { figureOfWorlds, type World } from './lib/world.ts';

const WARM_UP = 2;
const ROUND_DEVICES = Number(process.env['G5_DEVICES'] ?? 20_000);
const HIGH_LEVEL = (LEVELS * 4) / 5;
const POLL_MS = 100;
const MOST_MB = 512;

interface Contender {
  /** At most {@link JOB_DEVICES}; resolves when all are durable. */
  register(devices: readonly BulkDevice[]): Promise<void>;
  cpu(): Parts;
  settle(): Promise<void>;
}

interface Round {
  /** CPU microseconds per device. */
  readonly cpu: Parts;
  readonly perSecond: number;
}

/** Registers devices three times, as an audience uploaded every night hardly changes. */
export const measure = (): Promise<Figure> =>
  figureOfWorlds({ id: 'G5', title: 'bulk registration vs bulkWrite' }, measureIn);

async function measureIn(world: World): Promise<Measure[]> {
  const baseline = await startBaseline();
  try {
    await world.client.call('addTag', { tag: { name: 'Level', type: 1 } });
    const { rounds, registered } = await race(jobsOf(world), baseline);
    const isOurs = world.mode === 'embedded';
    const compared = (title: string, of: keyof Uploads, goal: number): Measure => {
      const [ours, theirs] = [rounds.map(({ our }) => our[of]), rounds.map(({ their }) => their[of])];
      return {
        title: `${world.mode}, ${title}`,
        ...ratio(theirs.map(totalCpu), ours.map(totalCpu)),
        ...(isOurs && { floor: { least: 0.5 }, goal: { least: goal } }),
        details: { ours: described(ours), theirs: described(theirs) },
      };
    };
    return [
      compared('nothing changes', 'same', 0.85),
      compared('tokens change', 'changed', 0.85),
      compared('all new', 'fresh', 2),
      await exported(world, registered),
      memoryOf(world, registered),
    ];
  } finally {
    await baseline.stop();
  }
}

async function exported(world: World, registered: number): Promise<Measure> {
  const { client, application, mode } = world;
  const filterExpression = `A("${application}") * T("Level", GTE, ${HIGH_LEVEL})`;
  let expected = 0;
  for (let i = 0; i < registered; i++) if (bulkDevice(i).tags.Level >= HIGH_LEVEL) expected++;
  const before = world.cpu();
  const started = performance.now();
  const { task_id } = await client.call('exportSegment', { filterExpression });
  for (;;) {
    const { status, devices_count: found } = await client.call('getExportSegment', { task_id });
    if (status === 'completed' && found === expected) break;
    if (status === 'completed' || status === 'failed')
      throw new Error(`${status} with ${found} of ${expected} devices`);
    await delay(POLL_MS);
  }
  const seconds = (performance.now() - started) / 1000;
  const used = usedBetween(before, world.cpu(), expected);
  return {
    title: `${mode}, export of a segment, a device`,
    ...overRounds([total(used)]),
    unit: 'µs',
    details: { found: `${expected} of ${registered}`, in: `${format(seconds)} s`, ours: inWords(used, 'µs') },
  };
}

function memoryOf(world: World, registered: number): Measure {
  const { mode } = world;
  const services = world.services();
  const { name, pid } = services.find((process) => process.name === 'registry') ?? services[0]!;
  return {
    title: `${mode}, peak memory of ${name}`,
    ...overRounds([peakResidentMb(pid)]),
    unit: 'MB',
    details: { registered: `${registered} devices three times` },
    ...(name === 'registry' && { floor: { most: MOST_MB } }),
  };
}

function jobsOf(world: World): Contender {
  return {
    cpu: () => world.cpu(),
    settle: () => world.settle(),
    register: (devices) => uploadDevices(world, devices),
  };
}

async function startBaseline(): Promise<Contender & { stop(): Promise<void> }> {
  const mongod = await startStore();
  const program = await startProgram<{ url: string }>('bench/programs/baseline-bulk.ts', [mongod.url]);
  return {
    async register(devices) {
      const { ok, status } = await fetch(program.ready.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ application: 'A1B2C-3D4E5', devices }),
      });
      if (!ok) throw new Error(`the baseline answers ${status}`);
    },
    cpu: () =>
      cpuOf([
        { name: 'client', pid: program.pid },
        { name: 'mongod', pid: mongod.pid },
      ]),
    settle: async () => undefined,
    async stop() {
      await program.stop();
      await mongod.stop();
    },
  };
}

/** The same devices three times. */
interface Uploads {
  readonly fresh: Round;
  readonly changed: Round;
  readonly same: Round;
}

async function race(ours: Contender, theirs: Contender) {
  let registered = 0;
  const upload = async (contender: Contender): Promise<Uploads> => ({
    fresh: await round(contender, registered, `${registered}`),
    changed: await round(contender, registered, `${registered} again`),
    same: await round(contender, registered, `${registered} again`),
  });
  const both = async () => {
    const uploads = { our: await upload(ours), their: await upload(theirs) };
    registered += ROUND_DEVICES;
    return uploads;
  };
  for (let i = 0; i < WARM_UP; i++) await both();
  const rounds = await untilSteady(both, ({ our, their }) => totalCpu(their.fresh) / totalCpu(our.fresh), { most: 5 });
  return { rounds, registered };
}

async function round(contender: Contender, first: number, salt: string): Promise<Round> {
  const before = contender.cpu();
  const started = performance.now();
  for (let done = 0; done < ROUND_DEVICES; done += JOB_DEVICES) {
    const amount = Math.min(JOB_DEVICES, ROUND_DEVICES - done);
    await contender.register(Array.from({ length: amount }, (_, i) => bulkDevice(first + done + i, salt)));
  }
  const perSecond = (ROUND_DEVICES * 1000) / (performance.now() - started);
  await contender.settle();
  return { cpu: usedBetween(before, contender.cpu(), ROUND_DEVICES), perSecond };
}

const totalCpu = ({ cpu }: Round): number => total(cpu);

const described = (rounds: readonly Round[]): string =>
  `${inWords(mediansOf(rounds.map(({ cpu }) => cpu)), 'µs')}, ${format(median(rounds.map(({ perSecond }) => perSecond)))}/s`;
