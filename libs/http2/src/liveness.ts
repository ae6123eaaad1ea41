/** Time limits of silence, in milliseconds. */
export interface Patience {
  /** Silence after which a PING is sent, while requests are in progress. */
  readonly silenceMs: number;
  /** A link with an unanswered PING is suspect after this time. */
  readonly pingMs: number;
  /** Maximum silence of a suspect link while another link proves that the provider is alive. */
  readonly graceMs: number;
}

/** The last activity of a link. */
export interface Pulse {
  readonly busy: number;
  readonly heardAt: number;
  ping(): void;
}

/** `suspected`: no answer to a PING; the provider stalls, or the connection is half-open. `recovered`: heard again. `dead`: the link is unusable. */
export type Change = 'suspected' | 'recovered' | 'dead' | undefined;

/**
 * Judges a link by its silence. A provider that stalls as a whole leaves a link suspect at most, as long as the link has requests in progress; a link
 * that stays silent while another one is heard is half-open, and dead.
 */
export class Liveness {
  readonly #link: Pulse;
  readonly #patience: Patience;
  /** Time of the unanswered PING; 0 = none. */
  #pingedAt = 0;
  #suspectedAt = 0;
  #graceSince = 0;

  constructor(link: Pulse, patience: Patience) {
    this.#link = link;
    this.#patience = patience;
  }

  get suspect(): boolean {
    return this.#suspectedAt > 0;
  }

  /** 0 = not suspect. */
  get suspectedAt(): number {
    return this.#suspectedAt;
  }

  /** Call it periodically. @param aliveAt time when the provider was last heard on another open link; 0 = none */
  look(now: number, aliveAt: number): Change {
    const { busy, heardAt } = this.#link;
    const { silenceMs, pingMs } = this.#patience;
    if (this.#pingedAt > 0 && heardAt >= this.#pingedAt) return this.#heard();
    if (this.#pingedAt === 0) {
      if (busy > 0 && now - heardAt > silenceMs) this.#ping(now);
      return undefined;
    }
    if (!this.suspect) {
      if (now - this.#pingedAt <= pingMs) return undefined;
      this.#suspectedAt = now;
      return 'suspected';
    }
    return busy === 0 || this.#outlived(now, aliveAt) ? 'dead' : undefined;
  }

  /** Requests a sign of life after `since`, whether or not requests are in progress. */
  ask(now: number, since: number): void {
    if (this.#pingedAt === 0 && this.#link.heardAt <= since) this.#ping(now);
  }

  /** The process was frozen: the provider's data has not been read yet, so every wait starts again. */
  paused(now: number): void {
    if (this.#pingedAt === 0 || this.#link.heardAt >= this.#pingedAt) return;
    if (!this.suspect) this.#pingedAt = now;
    if (this.#graceSince > 0) this.#graceSince = now;
  }

  #ping(now: number): void {
    this.#pingedAt = now;
    this.#link.ping();
  }

  #heard(): Change {
    const { suspect } = this;
    this.#pingedAt = 0;
    this.#suspectedAt = 0;
    this.#graceSince = 0;
    return suspect ? 'recovered' : undefined;
  }

  /** Whether the provider has been heard on another link, and the grace period is over. */
  #outlived(now: number, aliveAt: number): boolean {
    if (this.#graceSince === 0 && aliveAt > this.#suspectedAt) this.#graceSince = now;
    return this.#graceSince > 0 && now - this.#graceSince > this.#patience.graceMs;
  }
}
