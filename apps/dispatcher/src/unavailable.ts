import { Fault } from '@tidings/kernel';

export async function storeAsFault<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    throw error instanceof Fault ? error : Fault.unavailable('MongoDB does not answer', error);
  }
}
