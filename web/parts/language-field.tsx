/** Which language the page speaks. */
import { language } from '../store/language.ts'
import { choices, languages, t } from '../words/words.ts'
import { SelectField } from './field.tsx'

export function LanguageField() {
  return (
    <div class="language">
      <SelectField
        label={t.settings.language}
        compact
        name="language"
        value={language.value}
        options={choices(languages)}
        onChange={(chosen) => (language.value = chosen)}
      />
    </div>
  )
}
