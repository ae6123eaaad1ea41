import { Fault } from '@tidings/kernel';

/** Waits for a command; what the registry says of a device that it does not know is no fault of a late report or of a device that goes (R-C7). */
export async function unlessUnknown(submitted: Promise<void>): Promise<void> {
  try {
    await submitted;
  } catch (thrown) {
    const unknown = thrown instanceof Fault && (thrown.kind === 'argument' || thrown.kind === 'notFound');
    if (!unknown) throw thrown;
  }
}
