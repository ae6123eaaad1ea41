export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    reason: string,
    readonly entry?: number,
  ) {
    super(reason);
  }
}
