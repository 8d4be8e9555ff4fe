const article = /^(?:the|an?)\s+/i;

/**
 * What an operator calls the provider, as it stands in a sentence; they may have written it with an article. Within one
 * it stands as it is: 'a model at OpenAI', 'a model at the simulator'.
 * `beginning`: 'OpenAI accepted it.', 'The simulator accepted it.'
 * `compound`, before another noun: 'your OpenAI API key', 'your simulator API key'.
 */
export function providerNameIn(place: 'beginning' | 'compound', name: string): string {
  if (!article.test(name)) return name;
  return place === 'beginning' ? name.charAt(0).toUpperCase() + name.slice(1) : name.replace(article, '');
}
