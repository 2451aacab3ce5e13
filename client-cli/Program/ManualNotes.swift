import MacrologArgumentParsing

/// The sections of the manual page that are not about one command.
enum ManualNotes {
    static let all = [
        Note(
            "IDs",
            """
            Meals, items, foods, weigh-ins and goals have ids, which --json prints in full. Elsewhere
            their last digits are shown and typed: four, or as many as are needed to be unique within
            the kind. More digits are accepted; if the digits match several entries, these are listed
            and nothing is changed. `edit`, `delete`, `restore` and `history` take an id of any kind.
            """),
        Note(
            "Numbers",
            """
            Numbers are read as people type them: 80,2kg, 11st4, 6ft1, 1/2 oz, 1'234.5. A number that
            could be read in two ways, such as 1,234, is refused with both readings, unless you chose
            a decimal mark with `macrolog config set decimal point`. n/a and - mean that a number is
            unknown, which is not zero. Energy is in kcal, nutrients and portions are in grams, heights in
            centimetres, weights, waists and volumes in the units you chose with `macrolog init`,
            unless a unit follows. `floz` is the fluid ounce you chose; us_floz and imp_floz are
            always accepted.
            """),
        Note(
            "Days and times",
            """
            Days are typed as today, yesterday, tomorrow, -3, friday or 2026-11-20; times as 07:40 or
            2026-11-20T07:40, followed by Z or +01:00 if the zone matters. A weekday is the last one, and
            in `plan`, `goal`, `targets`, `macro preset` and `reminders due` the next one; today is
            both. The day of an entry is set when it is recorded, in the zone you are in then, and
            travelling does not change it.
            """),
        Note(
            "JSON",
            """
            With --json every answer is one JSON document, whose keys say their units: energy_kcal,
            weight_kg. Instants are ISO 8601, days 2026-11-20, and null is unknown or not set. A
            command that fails writes {"error": {…}} with code, exit_code, message, hint and retryable
            to standard error. The convention and all keys are in docs/JSON.md of the sources.
            """),
        Note(
            "Files",
            """
            The log is --db FILE, else $MACROLOG_DB, else $XDG_DATA_HOME/macrolog/macrolog.db, else
            ~/.local/share/macrolog/macrolog.db. FILE-wal and FILE-shm lie beside it while it is
            in use, and FILE.lock names the process that uses it: only one can, and another waits up
            to five seconds.
            """),
        Note(
            "Environment",
            """
            MACROLOG_DB: the file of the log.

            MACROLOG_SERVER: the server, where --server is not typed.

            MACROLOG_CA: a file of certificates that are trusted, too, as --ca names one.

            NO_COLOR: if set to anything, no colours are used; nor are they if the output is not a
            terminal or TERM is dumb.

            TZ: the time zone, as --tz sets it.
            """),
    ]
}
