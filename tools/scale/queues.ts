export type Lane = 'direct' | 'broadcast';

export interface Piece {
  readonly lane: Lane;
  readonly pushes: number;
  /** When it was accepted or released. */
  readonly since: number;
  readonly application: number;
  /** By service. */
  readonly process: readonly number[];
}

export interface Service {
  readonly processes: number;
  /** Seconds of one core. */
  readonly cost: (piece: Piece) => number;
  /** Services that take a piece next, at the same time. */
  readonly next: Readonly<Record<Lane, readonly number[]>>;
}

interface Queue {
  readonly pieces: Piece[];
  next: number;
}

interface Process {
  readonly service: number;
  readonly queues: Readonly<Record<Lane, Queue>>;
  /** Seconds of each lane since both have been waiting. */
  readonly had: Record<Lane, number>;
  isBusy: boolean;
  lane: Lane;
  until: number;
  offered: number;
  done: number;
}

const isWaiting = ({ pieces, next }: Queue): boolean => next < pieces.length;

/** Lanes that are both waiting get the same time. */
function nextLane({ queues, had }: Process): Lane | undefined {
  const [direct, broadcast] = [isWaiting(queues.direct), isWaiting(queues.broadcast)];
  if (direct && broadcast) return had.direct <= had.broadcast ? 'direct' : 'broadcast';
  had.direct = had.broadcast = 0;
  return direct ? 'direct' : broadcast ? 'broadcast' : undefined;
}

const emptyProcess = (service: number): Process => ({
  service,
  isBusy: false,
  lane: 'direct',
  until: 0,
  offered: 0,
  done: 0,
  queues: { direct: { pieces: [], next: 0 }, broadcast: { pieces: [], next: 0 } },
  had: { direct: 0, broadcast: 0 },
});

/** `completed` is called in order of time. */
export class Network {
  readonly #services: readonly Service[];
  readonly #processes: readonly (readonly Process[])[];
  readonly #busy: Process[] = [];
  readonly #completed: (piece: Piece, service: number, at: number) => void;

  constructor(services: readonly Service[], completed: (piece: Piece, service: number, at: number) => void) {
    this.#services = services;
    this.#processes = services.map(({ processes }, service) =>
      Array.from({ length: processes }, () => emptyProcess(service)),
    );
    this.#completed = completed;
  }

  /** The time is not before that of any earlier call. */
  enter(piece: Piece, service: number, at: number): void {
    const process = this.#processes[service]![piece.process[service]!]!;
    process.queues[piece.lane].pieces.push(piece);
    process.offered += this.#services[service]!.cost(piece);
    if (!process.isBusy) this.#begin(process, at);
  }

  work(until = Infinity): void {
    for (;;) {
      const [process] = this.#busy;
      if (!process || process.until > until) return;
      this.#busy.shift();
      this.#complete(process);
    }
  }

  /** Seconds, by service and process. */
  offered(): number[][] {
    return this.#processes.map((all) => all.map(({ offered }) => offered));
  }

  /** Seconds, by service and process. */
  waiting(): number[][] {
    return this.#processes.map((all) => all.map(({ offered, done }) => Math.max(0, offered - done)));
  }

  #complete(process: Process): void {
    const { service, lane, until } = process;
    const queue = process.queues[lane];
    const piece = queue.pieces[queue.next++]!;
    const { cost, next } = this.#services[service]!;
    process.done += cost(piece);
    process.had[lane] += cost(piece);
    this.#completed(piece, service, until);
    this.#begin(process, until);
    for (const following of next[lane]) this.enter(piece, following, until);
  }

  #begin(process: Process, at: number): void {
    const lane = nextLane(process);
    process.isBusy = lane !== undefined;
    if (!lane) return;
    const { pieces, next } = process.queues[lane];
    process.lane = lane;
    process.until = at + this.#services[process.service]!.cost(pieces[next]!);
    const index = this.#busy.findIndex(({ until }) => until > process.until);
    this.#busy.splice(index < 0 ? this.#busy.length : index, 0, process);
  }
}
