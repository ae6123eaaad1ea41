import { integerOf } from '../values.ts';

/** Pushes per second (R-I11). */
export const sendRate = integerOf(100, 1000);
