import { Fault } from '@tidings/kernel';

/** Turns every failure of the store into a Fault `unavailable`, which can be retried. */
export async function reached<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    throw error instanceof Fault ? error : Fault.unavailable('MongoDB does not answer', error);
  }
}
