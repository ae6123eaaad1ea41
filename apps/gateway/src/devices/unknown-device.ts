import { Fault } from '@tidings/kernel';

/** A late report or an unregistration of an unknown device is no error (R-C7). */
export async function unlessUnknown(submitted: Promise<void>): Promise<void> {
  try {
    await submitted;
  } catch (thrown) {
    const unknown = thrown instanceof Fault && (thrown.kind === 'argument' || thrown.kind === 'notFound');
    if (!unknown) throw thrown;
  }
}
