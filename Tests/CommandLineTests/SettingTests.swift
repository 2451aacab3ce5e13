import Macrolog
import Testing

import macrolog_cli

/// Goal: everything that can be stored of a person can be set by a name, and nothing else.
/// Method: the list of settings beside the catalogue of fields.
@Suite struct SettingTests {
    @Test func `each field of preferences and profile has one setting`() {
        #expect(
            PreferenceSettings.all.map(\.field).sorted()
                == Kind.preferences.fields.map(\.name).sorted())
        #expect(
            ProfileSettings.all.map(\.field).sorted()
                == Kind.profile.fields.map(\.name).sorted())
    }
}
