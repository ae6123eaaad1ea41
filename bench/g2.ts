import { type Figure, format, type Measure, median, ratio } from './lib/figure.ts';
import { post, registration } from './lib/load.ts';
import { inWords, mediansOf, type Parts, total, usedBetween } from './lib/parts.ts';
import { cpuOf, startProgram } from './lib/processes.ts';
import { startStore } from './lib/run-with-store.ts';
import { figureOfWorlds, type World } from './lib/world.ts';

/** The cost of a registration varies by a fifth with other load on the machine. */
const ROUNDS = 9;
const DEVICES = Number(process.env['G2_DEVICES'] ?? 20_000);
/** The longer code path warms up longer, up to some 90,000 devices. */
const WARM_UP = { first: 5, next: 2 };
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
    const [theirs, ours]: [Round[], Round[]] = [[], []];
    const warmUp = this.#salt === 0 ? WARM_UP.first : WARM_UP.next;
    for (let i = -warmUp; i < ROUNDS; i++) {
      this.#registered += DEVICES;
      this.#salt++;
      const [their, our] = [await this.#round(this.#theirs, connections), await this.#round(this.#ours, connections)];
      if (i < 0) continue;
      theirs.push(their);
      ours.push(our);
    }
    return {
      ...ratio(theirs.map(totalCpu), ours.map(totalCpu)),
      details: { ours: described(ours), theirs: described(theirs) },
    };
  }

  async #round(contender: Contender, connections: number): Promise<Round> {
    const before = contender.cpu();
    const p99Ms = await post(`${contender.url}/json/1.3/registerDevice`, {
      amount: DEVICES,
      connections,
      headers: { authorization: `Token ${contender.token}` },
      body: (i) => registration(this.#application, this.#registered + i, String(this.#salt)),
    });
    await contender.settle();
    return { cpu: usedBetween(before, contender.cpu(), DEVICES), p99Ms };
  }
}

const totalCpu = ({ cpu }: Round): number => total(cpu);

const described = (rounds: readonly Round[]): string =>
  `${inWords(mediansOf(rounds.map(({ cpu }) => cpu)), 'µs')}, p99 ${format(median(rounds.map(({ p99Ms }) => p99Ms)))} ms`;
