import MacrologEvents
import MacrologNutrition

/// Columns whose titles alone say what they mean, as in the files of many other programs.
///
///     Day, Time, Group, Food Name, Amount, Energy (kcal), Protein (g), Category
///     →  date=Day,time=Time,slot=Group,name=Food Name,amount=Amount,energy=Energy (kcal),…
///
/// A title that may mean several things, or a number whose unit is unknown, is not read: a person maps it.
enum TitledColumns {
    /// What the columns mean; `nil` where the titles do not show both a day and what it is about.
    ///
    /// - Parameter rows: What stands below the titles: a column `Meal` names the meal of the day or what was eaten.
    static func mapping(header: [String], rows: ArraySlice<CSVRow>) -> ImportMapping? {
        let titles = header.map { ColumnTitle(Cell.trimmed($0)) }
        let known = titles.map { title in
            words.first { $0.titles.contains(title.words) }?.field
        }
        // A table of foods may have their weight, and one of weigh-ins has fat of the body.
        let isOfMeals = zip(known, titles).contains { field, title in
            field == .name || field == .nutrient(.energy) || isEnergy(title)
        }
        var places: [ImportField: [Int]] = [:]
        for index in header.indices {
            guard let field = field(known[index], titles[index], isOfMeals: isOfMeals) else {
                continue
            }
            places[field, default: []].append(index)
        }
        var mapping = ImportMapping()
        for (field, indexes) in places.sorted(by: { $0.value[0] < $1.value[0] }) {
            guard let index = chosen(indexes, titles) else { continue }
            let title = Cell.trimmed(header[index])
            let isAlone = header.filter { Cell.isAlike(Cell.trimmed($0), title) }.count == 1
            let canBeWritten = isAlone && !title.utf8.contains(UInt8(ascii: ","))
            mapping[field] = canBeWritten ? title : String(index + 1)
        }
        if mapping[.name] == nil, let index = places[.slot]?.first, let column = mapping[.slot],
            !rows.allSatisfy({ SlotWord.isKnown($0.fields, index) })
        {
            mapping[.slot] = nil
            mapping[.name] = column
        }
        // What was eaten without its energy, which the file has, would look as if it were unknown.
        let hasEnergy = titles.contains { title in
            isEnergy(title)
                || ["calor", "kalor", "energ", "brennwert", "joule", "kcal", "kj"].contains {
                    title.words.contains($0)
                }
        }
        if isOfMeals, hasEnergy, mapping[.nutrient(.energy)] == nil { return nil }
        // A unit without an amount may be that of any number.
        if isOfMeals, mapping[.unit] != nil, mapping[.amount] == nil { return nil }
        guard mapping[.date] != nil,
            mapping[.weight] != nil || mapping[.name] != nil || mapping[.nutrient(.energy)] != nil
        else { return nil }
        return mapping
    }

    /// Of columns that mean the same, the one in kilocalories or kilograms.
    private static func chosen(_ indexes: [Int], _ titles: [ColumnTitle]) -> Int? {
        guard indexes.count > 1 else { return indexes.first }
        let usual = indexes.filter {
            titles[$0].unit == .measure(.kilocalorie) || titles[$0].unit == .measure(.kilogram)
        }
        return usual.count == 1 ? usual[0] : nil
    }

    private static func isEnergy(_ title: ColumnTitle) -> Bool {
        ["", "total", "food"].contains(title.words)
            && [.measure(.kilocalorie), .measure(.kilojoule)].contains(title.unit)
    }

    private static func field(
        _ known: ImportField?, _ title: ColumnTitle, isOfMeals: Bool
    ) -> ImportField? {
        guard isOfMeals else {
            if title.words.isEmpty,
                title.unit == .measure(.kilogram) || title.unit == .measure(.pound)
            {
                return .weight
            }
            switch known {
            case .date?, .time?, .unit?, .note?, .person?, .deleted?: return known
            case .weight?: return hasUnit(title, .mass) ? known : nil
            case .bodyFat?, .nutrient(.fat)?: return hasUnit(title, .share) ? .bodyFat : nil
            default: return nil
            }
        }
        if title.isPer100 { return nil }
        if isEnergy(title) { return .nutrient(.energy) }
        switch known {
        case .weight?, .bodyFat?: return nil
        case .nutrient(let nutrient)?:
            switch nutrient.unit {
            case .millikilocalories: return hasUnit(title, .energy) ? known : nil
            // Minerals and vitamins are also written as percent of a daily value, alcohol as units.
            case .nanograms where title.unit == nil && !usuallyMilligrams.contains(nutrient):
                return nil
            case .milligrams where title.unit == nil && nutrient == .alcohol:
                return nil
            default:
                if title.unit == .internationalUnits { return nutrient == .vitaminD ? known : nil }
                return hasUnit(title, .mass) ? known : nil
            }
        default: return known
        }
    }

    private static func hasUnit(_ title: ColumnTitle, _ dimension: Measure.Dimension) -> Bool {
        switch title.unit {
        case nil: true
        case .measure(let measure)?: measure.dimension == dimension
        case .internationalUnits?, .other?: false
        }
    }

    private static let usuallyMilligrams: [Nutrient] = [.sodium, .potassium, .cholesterol]

    private static let words = [(field: ImportField, titles: Set<String>)](
        table.map {
            ($0.field, Set($0.titles.split { ",\n".contains($0) }.map { Cell.trimmed(String($0)) }))
        })

    /// Titles, in lower case, without units: English, German, Dutch, French, Spanish and Italian.
    private static let table: [(field: ImportField, titles: String)] = [
        (
            .date,
            """
            date, day, datetime, date time, timestamp, date and time, date & time, start date, startdate, start time,
            time of measurement, measured at, datum, tag, datum tag monat jahr stunde minute, zeitpunkt, jour, fecha,
            día, data, giorno
            """
        ),
        (.time, "time, time of day, zeit, uhrzeit, tijd, heure, hora, ora"),
        (
            .name,
            """
            name, food, food name, food item, foodname, item, dish, description, product, logged food, bezeichnung,
            lebensmittel, produkt, gericht, essen, omschrijving, aliment, alimento, produit, producto, prodotto
            """
        ),
        (
            .slot,
            "slot, meal, meal type, group, type, daytime, mahlzeit, maaltijd, repas, comida, pasto"
        ),
        (
            .amount,
            "amount, quantity, qty, menge, anzahl, hoeveelheid, quantité, cantidad, quantità"
        ),
        (.unit, "unit, units, einheit, eenheid, unité, unidad, unità"),
        (
            .note,
            "note, notes, comment, comments, notiz, notizen, bemerkung, kommentar, commentaire, nota, notas, commento"
        ),
        (
            .nutrient(.energy),
            "energy, total energy, energie, kalorien, brennwert, énergie, energía, calorías, energia, calories in"
        ),
        (
            .nutrient(.protein),
            "protein, proteins, prot, eiweiß, eiweiss, eiwit, eiwitten, protéines, proteínas, proteine"
        ),
        (
            .nutrient(.carbs),
            """
            carbs, carbohydrate, carbohydrates, total carbs, total carbohydrate, kohlenhydrate, kh, koolhydraten,
            glucides, carbohidratos, hidratos, carboidrati
            """
        ),
        (
            .nutrient(.fat),
            "fat, total fat, fats, fett, vet, vetten, lipides, matières grasses, grasas, grassi"
        ),
        (
            .nutrient(.fiber),
            "fiber, fibre, dietary fiber, dietary fibre, ballaststoffe, vezels, fibres, fibra, fibre alimentari"
        ),
        (
            .nutrient(.sugars),
            "sugar, sugars, total sugars, zucker, davon zucker, suikers, sucres, dont sucres, azúcares, zuccheri"
        ),
        (.nutrient(.addedSugars), "added sugar, added sugars"),
        (.nutrient(.saturatedFat), "sat fat, saturated fat, saturated, gesättigte fettsäuren"),
        (.nutrient(.transFat), "trans fat, trans fats"),
        (.nutrient(.monounsaturatedFat), "mono fat, monounsaturated fat, monounsaturated"),
        (.nutrient(.polyunsaturatedFat), "poly fat, polyunsaturated fat, polyunsaturated"),
        (.nutrient(.alcohol), "alcohol, alkohol"),
        (.nutrient(.cholesterol), "cholesterol, cholesterin"),
        (.nutrient(.sodium), "sodium, natrium"),
        (.nutrient(.potassium), "potassium, kalium"),
        (.nutrient(.calcium), "calcium, kalzium"),
        (.nutrient(.iron), "iron, eisen"),
        (.nutrient(.magnesium), "magnesium"),
        (.nutrient(.zinc), "zinc, zink"),
        (.nutrient(.vitaminA), "vit a, vitamin a"),
        (.nutrient(.vitaminC), "vit c, vitamin c"),
        (.nutrient(.vitaminD), "vit d, vitamin d"),
        (.nutrient(.vitaminB12), "vit b12, vitamin b12, b12, b12 cobalamin"),
        (.nutrient(.caffeine), "caffeine, koffein"),
        (
            .weight,
            "weight, body weight, bodyweight, body mass, gewicht, körpergewicht, poids, peso"
        ),
        (.bodyFat, "bodyfat, body fat, körperfett, masse grasse, grasa corporal"),
        (.consumed, "consumed, eaten, gegessen"),
        (.estimated, "estimated, geschätzt"),
        (.person, "person, user, user id, userid"),
        (.deleted, "deleted, gelöscht"),
    ]
}
