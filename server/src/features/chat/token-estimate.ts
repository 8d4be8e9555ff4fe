/** About four characters a token, which holds for prose in European languages and is marked as an estimate. */
export const estimateTokens = (text: string) => Math.ceil(text.length / 4);
