import { Fault } from '@tidings/kernel';

/** Waits for a command and ignores the registry's fault for an unknown device: a late report or an unregistration is no error (R-C7). */
export async function unlessUnknown(submitted: Promise<void>): Promise<void> {
  try {
    await submitted;
  } catch (thrown) {
    const unknown = thrown instanceof Fault && (thrown.kind === 'argument' || thrown.kind === 'notFound');
    if (!unknown) throw thrown;
  }
}
