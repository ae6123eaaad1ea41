/** Refuses input by a rule of the domain; the message is the reason alone. The caller knows which field it is, and says so in a Fault. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  /** @param entry position of the refused entry in a list */
  constructor(
    reason: string,
    readonly entry?: number,
  ) {
    super(reason);
  }
}
