/** Times that silence is judged by, in milliseconds. */
export interface Patience {
  /** With requests under way and nothing heard for so long, a PING asks whether the provider is there. */
  readonly silenceMs: number;
  /** A link whose PING is unanswered for so long is suspect. */
  readonly pingMs: number;
  /** How long a suspect link may stay silent while another link proves that the provider is alive. */
  readonly graceMs: number;
}

/** When a link last moved: tells whether the provider is there. */
export interface Pulse {
  readonly busy: number;
  readonly heardAt: number;
  ping(): void;
}

/**
 * `suspected`: no answer to a PING; the provider stalls, or the connection is half-open. `recovered`: heard from again. `dead`: nothing can
 * be expected of it any more.
 */
export type Change = 'suspected' | 'recovered' | 'dead' | undefined;

/**
 * Judges a link by its silence. A provider that stalls as a whole leaves a link suspect and no worse, as long as the link has requests
 * under way; a link that stays silent while another one is heard is half-open, and dead.
 */
export class Liveness {
  readonly #link: Pulse;
  readonly #patience: Patience;
  /** When the PING was sent that is not answered; 0 = none. */
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

  /** 0 = it is not suspect. */
  get suspectedAt(): number {
    return this.#suspectedAt;
  }

  /**
   * To be called now and then.
   * @param aliveAt when the provider was last heard on another link that is open; 0 = there is none
   */
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

  /** Asks for a sign of life that is newer than `since`, whether or not requests are under way. */
  ask(now: number, since: number): void {
    if (this.#pingedAt === 0 && this.#link.heardAt <= since) this.#ping(now);
  }

  /** This process stood still: what the provider wrote meanwhile has not been read yet, so every wait begins anew. */
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

  /** Whether the provider has been heard on another link, and the time since is over. */
  #outlived(now: number, aliveAt: number): boolean {
    if (this.#graceSince === 0 && aliveAt > this.#suspectedAt) this.#graceSince = now;
    return this.#graceSince > 0 && now - this.#graceSince > this.#patience.graceMs;
  }
}
