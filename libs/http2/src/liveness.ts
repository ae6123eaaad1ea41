export interface SilenceLimits {
  readonly silenceMs: number;
  readonly pingMs: number;
  readonly graceMs: number;
}

export interface Pulse {
  readonly busy: number;
  readonly receivedAt: number;
  ping(): void;
}

export type LivenessChange = 'suspected' | 'recovered' | 'dead' | undefined;

/** A link that is silent while another is heard is dead; if all are silent, it is suspect. */
export class Liveness {
  readonly #link: Pulse;
  readonly #limits: SilenceLimits;
  #pingedAt = 0;
  #suspectedAt = 0;
  #graceSince = 0;

  constructor(link: Pulse, limits: SilenceLimits) {
    this.#link = link;
    this.#limits = limits;
  }

  get suspect(): boolean {
    return this.#suspectedAt > 0;
  }

  get suspectedAt(): number {
    return this.#suspectedAt;
  }

  check(now: number, aliveAt: number): LivenessChange {
    const { busy, receivedAt } = this.#link;
    const { silenceMs, pingMs } = this.#limits;
    if (this.#pingedAt > 0 && receivedAt >= this.#pingedAt) return this.#recovered();
    if (this.#pingedAt === 0) {
      if (busy > 0 && now - receivedAt > silenceMs) this.#ping(now);
      return undefined;
    }
    if (!this.suspect) {
      if (now - this.#pingedAt <= pingMs) return undefined;
      this.#suspectedAt = now;
      return 'suspected';
    }
    return busy === 0 || this.#isSuperseded(now, aliveAt) ? 'dead' : undefined;
  }

  probe(now: number, since: number): void {
    if (this.#pingedAt === 0 && this.#link.receivedAt <= since) this.#ping(now);
  }

  paused(now: number): void {
    if (this.#pingedAt === 0 || this.#link.receivedAt >= this.#pingedAt) return;
    if (!this.suspect) this.#pingedAt = now;
    if (this.#graceSince > 0) this.#graceSince = now;
  }

  #ping(now: number): void {
    this.#pingedAt = now;
    this.#link.ping();
  }

  #recovered(): LivenessChange {
    const { suspect } = this;
    this.#pingedAt = 0;
    this.#suspectedAt = 0;
    this.#graceSince = 0;
    return suspect ? 'recovered' : undefined;
  }

  #isSuperseded(now: number, aliveAt: number): boolean {
    if (this.#graceSince === 0 && aliveAt > this.#suspectedAt) this.#graceSince = now;
    return this.#graceSince > 0 && now - this.#graceSince > this.#limits.graceMs;
  }
}
