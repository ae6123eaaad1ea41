/** In UTF-8 (R-LM6). */
export const TOKEN_BYTES = 4096;
