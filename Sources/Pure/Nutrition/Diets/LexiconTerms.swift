/// The words of the lexicon: English, singular, phrases with spaces, separated by commas.
///
/// A phrase goes before the words in it, so exceptions are phrases: `butter` is dairy, `butter bean`
/// is not. Words that say nothing to a diet stand under `neutral`, so that a name made of them is
/// understood rather than unknown.
enum LexiconTerms {
    static let groups: [(classes: IngredientClass, terms: StaticString)] = [
        (
            .redMeat,
            """
            beef,veal,lamb,mutton,pork,venison,bison,buffalo,elk,moose,caribou,deer,reindeer,\
            antelope,boar,bear,rabbit,hare,squirrel,muskrat,opossum,raccoon,beaver,horse,goat,\
            game meat,meat,steak,beef steak,hamburger patty,ground hamburger,burger,meatball,meatloaf,liver,kidney,tripe,tongue,\
            sweetbread,brain,chitterling,oxtail,spare rib,short rib,shortrib,sparerib,rib roast,\
            brisket,sirloin,tenderloin,gyro,kebab,shawarma,au jus,sloppy joe,bolognese,\
            shepherd pie,pot roast,groundhog,seal,walrus,whale,bouillon beef,frog leg,chili con carne
            """
        ),
        (
            .processedMeat,
            """
            sausage,bacon,ham,prosciutto,pancetta,pepperoni,salami,bologna,mortadella,chorizo,\
            bratwurst,knackwurst,knockwurst,liverwurst,braunschweiger,kielbasa,frankfurter,\
            hot dog,hotdog,corn dog,corndog,wiener,pastrami,jerky,spam,luncheon meat,lunchmeat,\
            scrapple,headcheese,cervelat,thuringer,summer sausage,corned beef,pate,linguica,\
            andouille,capicola,beerwurst,salt pork,beef stick,deli meat,bacon bit
            """
        ),
        (
            .poultry,
            """
            chicken,turkey,duck,goose,hen,quail,pheasant,squab,ostrich,emu,guinea hen,cornish game,\
            poultry,giblet,gizzard,mcnugget,chicken nugget,dove,grouse,ptarmigan
            """
        ),
        (
            .fish,
            """
            fish,seafood,shellfish,salmon,tuna,cod,haddock,halibut,herring,mackerel,sardine,\
            anchovy,trout,bass,catfish,carp,perch,pike,pollock,snapper,flounder,swordfish,tilapia,\
            whitefish,eel,caviar,roe,shrimp,prawn,crab,lobster,crayfish,clam,mussel,oyster,\
            scallop,squid,octopus,cuttlefish,abalone,conch,whelk,snail,surimi,mollusk,crustacean,\
            shad,smelt,sturgeon,turbot,mullet,monkfish,orange roughy,mahimahi,bluefish,burbot,\
            croaker,cusk,dolphinfish,grouper,lingcod,milkfish,pompano,ocean pout,rockfish,\
            sablefish,scup,seatrout,shark,sheepshead,sunfish,tilefish,wolffish,yellowtail,cisco,\
            lox,gefilte,fish sauce,worcestershire,sea cucumber,hooligan,turtle,jellyfish,calamari,\
            ceviche,sashimi,fish cake,crab cake,clam chowder,butterfish,devilfish,sea bass,krill,fish oil
            """
        ),
        (
            .dairy,
            """
            dairy,milk,cheese,cream,yogurt,yoghurt,buttermilk,whey,casein,caseinate,kefir,\
            sour cream,curd,ricotta,mozzarella,cheddar,parmesan,feta,brie,camembert,gouda,edam,\
            gruyere,provolone,romano,roquefort,gorgonzola,mascarpone,queso,paneer,half and half,\
            lactose,skyr,quark,alfredo,au gratin,\
            crema,creamer,lactalbumin,butterfat,milkfat,infant formula,\
            macaroni and cheese,nacho cheese,latte,cappuccino,ranch dressing,frappuccino
            """
        ),
        (
            [.dairy, .sugar],
            """
            condensed milk,white chocolate,sherbet,ice cream,gelato,dulce de leche,milk chocolate,\
            sundae,milkshake,milky way,snicker
            """
        ),
        ([.dairy, .butter], "butter,ghee,butter oil"),
        (
            [.dairy, .egg],
            """
            custard,souffle,quiche,cheesecake,eggnog,french toast,eclair,cream puff,tiramisu,\
            creme brulee,flan
            """
        ),
        ([.dairy, .egg, .grain], "pancake,waffle,crepe,brioche"),
        // Dishes that are made with them unless their names say otherwise.
        ([.redMeat, .grain], "hamburger"),
        ([.redMeat, .dairy, .grain], "cheeseburger,cheesesteak"),
        ([.fish, .grain], "sushi"),
        ([.dairy, .grain], "pizza"),
        ([.dairy, .butter, .grain], "croissant"),
        ([.dairy, .egg, .grain, .sugar], "cake,cupcake,doughnut,donut,brownie,danish,coffeecake"),
        ([.sugar, .animalPart], "gummy bear,gummi bear,gummy candy"),
        (
            .egg,
            """
            egg,egg white,egg yolk,omelet,omelette,frittata,mayonnaise,mayo,aioli,hollandaise,\
            meringue,albumen,tartar sauce,egg substitute
            """
        ),
        ([.honey, .sweetener], "honey"),
        (
            .animalPart,
            """
            lard,tallow,suet,gelatin,gelatine,collagen,marshmallow,bone broth,isinglass,carmine,\
            cochineal,shellac,rennet,beeswax,royal jelly,agutuk,pemmican,animal fat,chicken fat,\
            beef fat,drippings
            """
        ),
        (
            .grain,
            """
            wheat,rice,corn,maize,sorghum,kamut,semolina,teff,triticale,couscous,bread,bun,roll,\
            bagel,cracker,cereal,pasta,macaroni,spaghetti,noodle,flour,tortilla,pita,\
            muffin,biscuit,pretzel,granola,grit,hominy,polenta,cornmeal,cornbread,\
            cornstarch,bran,wheat germ,dumpling,ravioli,lasagna,burrito,taco,enchilada,sandwich,\
            pie,pastry,toast,stuffing,breaded,breading,beer,wafer,batter,tempura,ramen,vermicelli,\
            linguine,fettuccine,tortellini,gnocchi,crouton,malt,masa,tamale,quesadilla,wrap,\
            breadstick,naan,chapati,strudel,puff pastry,rusk,seitan,gluten,cone,popover,scone,\
            matzo,zwieback,crumpet,panko,phyllo,fillo,pierogi,wonton,lo mein,chow mein,pilaf,rice cake,corn cake,\
            pizza crust,pizza dough,rice milk
            """
        ),
        (
            [.grain, .wholeGrain],
            """
            whole wheat,whole grain,wholegrain,wholemeal,whole rye,oat,oatmeal,brown rice,\
            wild rice,quinoa,buckwheat,barley,bulgur,rye,farro,spelt,millet,muesli,popcorn,\
            amaranth,multigrain,oat bran,oat milk,oatcake,oat cake
            """
        ),
        (
            [.grain, .sugar],
            """
            cookie,gingerbread,shortbread,toaster pastry,pop tart,sweet roll,cinnamon roll,\
            animal cracker,bear claw
            """
        ),
        (
            .legume,
            """
            bean,lentil,chickpea,garbanzo,pea,soy,soya,soybean,tofu,tempeh,edamame,miso,natto,\
            hummus,falafel,lupin,lupine,soymilk,soy milk,refried bean,dal,dhal,tamari,soy sauce,\
            cowpea,blackeye,black eyed pea,fava,broadbean,broad bean,lima bean,kidney bean,\
            butter bean,bean curd,mung,adzuki,pigeon pea,urad,mothbean,winged bean,hyacinth bean,\
            yardlong bean,carob,bean sprout,soy cheese,soy yogurt,vegetable protein,tvp,black bean,\
            horse bean,succotash,peanut flour,meat extender,okara,pea milk
            """
        ),
        ([.legume, .nut], "peanut,peanut butter"),
        (
            .sugar,
            """
            sugar,sucrose,corn syrup,high fructose,glucose syrup,dextrose,candy,caramel,fudge,\
            frosting,icing,jam,jelly,marmalade,jelly bean,sorbet,sweetened,candied,\
            praline,toffee,nougat,pudding,gumdrop,taffy,lollipop,licorice,\
            butterscotch,brittle,halvah,ice pop,popsicle,invert sugar,maltodextrin,treacle,\
            chocolate syrup
            """
        ),
        (
            [.sugar, .sugaryDrink],
            """
            cola,soda,lemonade,limeade,soft drink,energy drink,fruit drink,fruit punch,punch,\
            sports drink,sweet tea,ginger ale,root beer,tonic water,cream soda,juice drink,\
            lemon lime soda,fruit flavored drink
            """
        ),
        (
            .sweetener,
            """
            syrup,maple syrup,agave syrup,agave nectar,molasses,date syrup,coconut sugar,\
            juice concentrate,aspartame,sucralose,saccharin,artificial sweetener
            """
        ),
        (
            .seedOil,
            """
            vegetable oil,canola oil,soybean oil,corn oil,sunflower oil,safflower oil,\
            cottonseed oil,peanut oil,grapeseed oil,rapeseed oil,rice bran oil,shortening,margarine,\
            hydrogenated,palm oil,oil spread,canola
            """
        ),
        (.oliveOil, "olive oil,oil olive,extra virgin olive oil"),
        (
            .vegetable,
            """
            vegetable,tomato,bell pepper,sweet pepper,chili,chile,jalapeno,onion,shallot,scallion,\
            garlic,spinach,kale,lettuce,arugula,cabbage,sauerkraut,kimchi,broccoli,cauliflower,\
            carrot,celery,cucumber,pickle,cauliflower rice,broccoli rice,konjac rice,\
            zucchini noodle,konjac noodle,shirataki noodle,shirataki,kelp noodle,cauliflower crust,\
            bread and butter pickle,\
            zucchini,courgette,eggplant,egg plant,aubergine,squash,\
            butternut,pumpkin,asparagus,artichoke,artichoke heart,beet,sugar beet,radish,\
            horseradish,turnip,leek,mushroom,oyster mushroom,okra,fennel,chard,swiss chard,salad,\
            bok choy,brussels sprout,sprout,parsnip,rutabaga,endive,chicory,watercress,cress,\
            collard,mustard green,greens,dandelion,kohlrabi,jicama,seaweed,kelp,nori,\
            bamboo shoot,water chestnut,heart of palm,palm heart,celery heart,romaine,\
            romaine heart,butterhead,butter lettuce,butterbur,gourd,chayote,nopal,radicchio,taro,\
            yam,sweet potato,cassava,green bean,snap bean,string bean,snow pea,sugar snap pea,\
            celtuce,purslane,oyster plant,salsify,burdock,pepper sweet,coleslaw,gazpacho,\
            ratatouille,beefsteak tomato,duck potato,lambsquarter,lamb lettuce,hen of the wood,\
            chicken of the wood,goosefoot,celeriac,fireweed,amaranth leaf
            """
        ),
        (
            .fruit,
            """
            fruit,apple,applesauce,banana,plantain,orange,lemon,lime,grape,berry,strawberry,\
            blueberry,raspberry,blackberry,cherry,peach,pear,plum,apricot,nectarine,mango,papaya,\
            pineapple,kiwi,kiwifruit,melon,watermelon,cantaloupe,honeydew,fig,date,raisin,prune,\
            pomegranate,grapefruit,tangerine,mandarin,clementine,avocado,guacamole,olive,cranberry,\
            currant,elderberry,gooseberry,mulberry,loganberry,boysenberry,guava,litchi,lychee,\
            longan,durian,jackfruit,breadfruit,persimmon,quince,rhubarb,passion fruit,star fruit,\
            carambola,kumquat,pummelo,tamarind,crab apple,crabapple,sugar apple,custard apple,\
            buffalo berry,horse apple,coconut,coconut milk,coconut cream,coconut water,coconut oil,\
            coconut yogurt,coconut butter,apple butter,soursop,cherimoya,sapodilla,loquat,acerola,\
            feijoa,rose hip,goji,acai,prickly pear,duck sauce
            """
        ),
        (
            .nut,
            """
            nut,almond,walnut,cashew,pistachio,hazelnut,filbert,pecan,macadamia,brazil nut,\
            pine nut,chestnut,butternut nut,beechnut,hickory,acorn,sesame,tahini,flaxseed,flax,\
            chia,seed,sunflower seed,pumpkin seed,hemp seed,almond milk,almond butter,cashew butter,\
            cashew milk,nut butter,hazelnut milk,macadamia milk,seed butter,sunflower butter,\
            sesame butter,walnut butter,almond flour,hemp milk,marzipan,ginkgo
            """
        ),
        (
            .neutral,
            """
            water,salt,sea salt,spice,pepper,black pepper,white pepper,red pepper flake,cinnamon,\
            cumin,turmeric,curry powder,paprika,oregano,basil,thyme,rosemary,sage,mint,parsley,\
            cilantro,coriander,dill,ginger,saffron,nutmeg,clove,cardamom,anise,marjoram,tarragon,\
            mustard,vinegar,coffee,espresso,tea,herbal tea,wine,vodka,gin,rum,whiskey,whisky,\
            distilled,liquor,yeast,baking powder,baking soda,club soda,starch,tapioca,arrowroot,\
            potato,french fry,potato chip,hash brown,vanilla,vanilla bean,cocoa,cocoa bean,\
            coffee bean,cacao,cocoa butter,shea butter,chocolate,dark chocolate,capers,caper,salsa,\
            ketchup,catsup,wasabi,oil,vegetable broth,vegetable stock,bouillon cube,agar,pectin,\
            cream of tartar,cream style,cream of wheat,cream of rice,stevia,coconut flour,veggie burger,black bean burger,bean burger,\
            garden burger,soy burger,vegetable burger,vegan cheese,vegan butter,vegan cream,\
            vegan milk,oyster cracker,ice cream cone,butter flavor,butter flavored,horse radish,\
            celery rib,rib celery,chicken style seitan,chewing gum,gum,agave,pickle relish,\
            popcorn oil,sugar cane,coconut meat,nut meat,steak fry,steak cut,vegetable steak,\
            poultry seasoning,meat tenderizer,kidney shaped,seasoning
            """
        ),
    ]

    /// What is not in a dish that is free of an ingredient, whatever it is called: `egg free mayo`. A word for a part of
    /// a class frees nothing else: lactose free milk is milk.
    static func freed(by word: String) -> IngredientClass {
        switch word {
        case "meat": .flesh
        case "dairy", "milk": [.dairy, .butter]
        case "egg": .egg
        case "fish", "seafood": .fish
        case "honey": .honey
        case "gelatin", "gelatine": .animalPart
        default: []
        }
    }

    /// Words that turn a following animal or milk word into a plant: `soy sausage`, `oat cream`.
    static let plantMakers: StaticString = """
        soy,soya,vegan,vegetarian,meatless,veggie,vege,plant based,plant,mock,tofu,tempeh,seitan,dairyfree,\
        nondairy,eggless,oat,rice,coconut,almond,cashew,hazelnut,macadamia,hemp,nut,peanut,sunflower,\
        sesame,apple,cocoa,pumpkin seed,walnut,pistachio,seed,sunflower seed,sesame seed
        """

    /// Of those, the ones that only make milk, cream, cheese, yogurt and butter: `rice chicken` is
    /// two things.
    static let milkMakers: StaticString = """
        oat,rice,coconut,almond,cashew,hazelnut,macadamia,hemp,nut,peanut,sunflower,sesame,apple,cocoa,\
        pumpkin seed,walnut,pistachio,seed,sunflower seed,sesame seed
        """

    /// Tables put the noun first: `Beans, kidney`. After the first of each pair the second is no animal.
    static let inverted: [(head: StaticString, tail: StaticString)] = [
        ("bean", "kidney"), ("bean", "turtle"), ("mushroom", "oyster"), ("squash", "scallop"),
        ("salsify", "oyster"), ("relish", "hot dog"), ("relish", "hamburger"), ("coconut", "meat"),
        ("lettuce", "lamb"), ("lettuce", "butter"), ("plant", "egg"), ("syrup", "butter"),
    ]
}
