import { Fault } from '@tidings/kernel';

/** What the store fails with is a Fault `unavailable`: the same may be tried again. */
export async function reached<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    throw error instanceof Fault ? error : Fault.unavailable('MongoDB does not answer', error);
  }
}
