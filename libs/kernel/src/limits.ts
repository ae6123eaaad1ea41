/** Maximum bytes of a device token or an address, in UTF-8 (R-LM6). Stores may hold longer ones of earlier versions. */
export const TOKEN_BYTES = 4096;
