const article = /^(?:the|an?)\s+/i;

/**
 * The provider’s name in a sentence; the operator may have written it with an article. In the middle of a sentence it
 * is used as it is: 'a model at OpenAI', 'a model at the simulator'.
 * `beginning`: 'OpenAI accepted it.', 'The simulator accepted it.'
 * `compound`, before another noun: 'your OpenAI API key', 'your simulator API key'.
 */
export function providerNameIn(place: 'beginning' | 'compound', name: string): string {
  if (!article.test(name)) return name;
  return place === 'beginning' ? name.charAt(0).toUpperCase() + name.slice(1) : name.replace(article, '');
}
