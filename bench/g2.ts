import { type Figure, format, type Measure, median, ratio } from './lib/figure.ts';
import { post, registration } from './lib/load.ts';
import { inWords, mediansOf, type Parts, total, usedBetween } from './lib/parts.ts';
import { cpuOf, startProgram } from './lib/processes.ts';
import { untilSteady } from './lib/rounds.ts';
import { startStore } from './lib/run-with-store.ts';
import { figureOfWorlds, type World } from './lib/world.ts';

const DEVICES = Number(process.env['G2_DEVICES'] ?? 20_000);
/** A registration of the baseline takes several times as long. */
const BASELINE_DEVICES = DEVICES / 4;
/** Rounds. The longer code path needs more of them, up to some 90,000 devices. */
const WARM_UP = { first: { ours: 5, theirs: 1 }, next: { ours: 1, theirs: 1 } };
/** A few backends, and many devices. */
const CONNECTIONS = [64, 256];

interface Contender {
  readonly url: string;
  readonly token: string;
  cpu(): Parts;
  settle(): Promise<void>;
}

interface Round {
  /** CPU microseconds per device. */
  readonly cpu: Parts;
  readonly p99Ms: number;
}

export const measure = (): Promise<Figure> =>
  figureOfWorlds({ id: 'G2', title: 'durable registerDevice vs fastify + mongoose' }, measureIn);

async function measureIn(world: World): Promise<Measure[]> {
  const baseline = await startBaseline();
  try {
    await world.client.call('addTag', { tag: { name: 'Level', type: 1 } });
    const race = new Race({ ...world, token: world.secrets.device }, baseline, world.application);
    const measures: Measure[] = [];
    for (const connections of CONNECTIONS) {
      const measured = await race.run(connections);
      const bounds = world.mode === 'embedded' ? { floor: { least: 2.5 }, goal: { least: 5 } } : {};
      measures.push({ title: `${world.mode}, ${connections} connections`, ...measured, ...bounds });
    }
    return measures;
  } finally {
    await baseline.stop();
  }
}

async function startBaseline(): Promise<Contender & { stop(): Promise<void> }> {
  const mongod = await startStore();
  const program = await startProgram<{ url: string }>('bench/programs/baseline-mongoose.ts', [mongod.url]);
  return {
    url: program.ready.url,
    token: '',
    cpu: () =>
      cpuOf([
        { name: 'fastify', pid: program.pid },
        { name: 'mongod', pid: mongod.pid },
      ]),
    settle: async () => undefined,
    async stop() {
      await program.stop();
      await mongod.stop();
    },
  };
}

/** Alternates the contenders; each round has new devices. */
class Race {
  readonly #ours: Contender;
  readonly #theirs: Contender;
  readonly #application: string;
  #registered = 0;
  #salt = 0;

  constructor(ours: Contender, theirs: Contender, application: string) {
    this.#ours = ours;
    this.#theirs = theirs;
    this.#application = application;
  }

  async run(connections: number): Promise<Omit<Measure, 'title'>> {
    const warmUp = this.#salt === 0 ? WARM_UP.first : WARM_UP.next;
    const ourRound = (): Promise<Round> => this.#round(this.#ours, connections, DEVICES);
    const theirRound = (): Promise<Round> => this.#round(this.#theirs, connections, BASELINE_DEVICES);
    for (let i = 0; i < warmUp.theirs; i++) await theirRound();
    for (let i = 0; i < warmUp.ours; i++) await ourRound();
    const rounds = await untilSteady(
      async () => ({ their: await theirRound(), our: await ourRound() }),
      ({ their, our }) => totalCpu(their) / totalCpu(our),
    );
    const [theirs, ours] = [rounds.map(({ their }) => their), rounds.map(({ our }) => our)];
    return {
      ...ratio(theirs.map(totalCpu), ours.map(totalCpu)),
      details: { ours: described(ours), theirs: described(theirs) },
    };
  }

  async #round(contender: Contender, connections: number, devices: number): Promise<Round> {
    this.#registered += devices;
    this.#salt++;
    const [first, salt] = [this.#registered, String(this.#salt)];
    const before = contender.cpu();
    const p99Ms = await post(`${contender.url}/json/1.3/registerDevice`, {
      amount: devices,
      connections,
      headers: { authorization: `Token ${contender.token}` },
      body: (i) => registration(this.#application, first + i, salt),
    });
    await contender.settle();
    return { cpu: usedBetween(before, contender.cpu(), devices), p99Ms };
  }
}

const totalCpu = ({ cpu }: Round): number => total(cpu);

const described = (rounds: readonly Round[]): string =>
  `${inWords(mediansOf(rounds.map(({ cpu }) => cpu)), 'µs')}, p99 ${format(median(rounds.map(({ p99Ms }) => p99Ms)))} ms`;
